import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../kernel/limits.ts'
import { checkJson, elementsOf, fieldsOf } from './json.ts'
import { JsonError, type JsonErrorCode } from './json-error.ts'

function refusal(run: () => unknown): JsonError {
  try {
    run()
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** The gate's verdict: undefined for acceptance, else the code. */
function verdict(text: string): JsonErrorCode | undefined {
  try {
    checkJson(text)
    return undefined
  } catch (error) {
    if (error instanceof JsonError) return error.code
    throw error
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('the JSON gate accepts', () => {
  it.each([
    'null',
    ' true\r\n',
    'false',
    '0',
    '-0',
    '-0.0e-0',
    '1E+2',
    '1e-999',
    '""',
    '"\\u0000"',
    '"\\ud800"',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\uAbCd"',
    '"\u007f\u2028é😀"',
    '[]',
    '{}',
    ' [ 1 , [ ] , { } ] ',
    '{"__proto__":1,"constructor":2}',
    '{"":0}',
    `${'9'.repeat(308)}`,
    `0.${'1'.repeat(400)}`,
  ])('%s', text => {
    expect(verdict(text)).toBeUndefined()
    expect(parses(text)).toBe(true)
  })

  it('the same key in different objects', () => {
    expect(verdict('[{"a":{"a":1},"b":{"a":2}},{"a":3}]')).toBeUndefined()
  })

  it('nesting as deep as the limit', () => {
    expect(verdict(nested(LIMITS.json_depth))).toBeUndefined()
  })
})

describe('the JSON gate refuses as invalid', () => {
  it.each([
    '',
    ' ',
    '1 2',
    '01',
    '-',
    '+1',
    '.5',
    '1.',
    '1e',
    '1e+',
    '0x10',
    'NaN',
    'Infinity',
    'tru',
    'True',
    'nul',
    "'a'",
    '"a',
    '"a\nb"',
    '"\u0000"',
    '"\\x"',
    '"\\u12g4"',
    '"\\u12',
    '"\\',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[',
    '[1',
    '{"a":1,}',
    '{"a"}',
    '{"a":}',
    '{a:1}',
    '{,}',
    '{"a":1',
    '{"a" 1}',
    '[1}',
    '\ufeff1',
    '\u00a01',
    '1\f',
    '// x\n1',
  ])('%j', text => {
    expect(verdict(text)).toBe('invalid_json')
    expect(parses(text)).toBe(false)
  })
})

describe('the JSON gate is stricter than RFC 8259 and refuses', () => {
  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"\\u0061":1,"a":2}',
    '[{"b":{"x":1,"y":[{}],"x":2}}]',
    '{"/":1,"\\/":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
  ])('a repeated key: %s', text => {
    expect(verdict(text)).toBe('duplicate_key')
  })

  it('a repeated key in an object of many keys, wherever the first one is', () => {
    const members = Array.from({ length: 40 }, (_, i) => `"key${i}":{"key${i}":0}`)
    expect(verdict(`{${members.join(',')}}`)).toBeUndefined()
    for (const repeated of ['"key0"', '"key15"', '"key16"', '"key39"', '"\\u006bey3"']) {
      expect(verdict(`{${members.join(',')},${repeated}:0}`)).toBe('duplicate_key')
    }
  })

  it('equal keys, but not different keys with equal hashes', () => {
    // 31 * 65 + 97 = 31 * 66 + 66
    expect(verdict('{"Aa":1,"BB":2,"AaBB":3,"BBAa":4}')).toBeUndefined()
    expect(verdict('{"Aa":1,"BB":2,"Aa":3}')).toBe('duplicate_key')
  })

  it.each(['1e400', '-1e400', `1${'0'.repeat(309)}`, '[1.5E999]'])('a number no double holds: %s', text => {
    expect(verdict(text)).toBe('number_out_of_range')
  })

  it('nesting deeper than the limit, of arrays and of objects', () => {
    expect(verdict(nested(LIMITS.json_depth + 1))).toBe('too_deep')
    expect(verdict('{"a":'.repeat(65) + 1 + '}'.repeat(65))).toBe('too_deep')
    expect(refusal(() => checkJson('[[[1]]]', { depth: 2 })).code).toBe('too_deep')
    expect(() => checkJson('[[1]]', { depth: 2 })).not.toThrow()
  })

  it('a text of a million brackets, without a stack overflow', () => {
    expect(verdict('['.repeat(1_000_000))).toBe('too_deep')
  })
})

describe('a JSON error', () => {
  it('says where the text is wrong and what was expected', () => {
    const error = refusal(() => checkJson('{\n  "a": 1,\n  "b": x\n}'))
    expect(error).toMatchObject({ code: 'invalid_json', offset: 19, line: 3, column: 8 })
    expect(error.message).toBe(
      'Unexpected "x" at line 3, column 8: expected a value; send valid JSON (RFC 8259)',
    )
  })

  it('points at the second of two equal keys', () => {
    const error = refusal(() => checkJson('{"id":1,"id":2}'))
    expect(error).toMatchObject({ code: 'duplicate_key', offset: 8, line: 1, column: 9 })
    expect(error.message).toContain('The key "id" is repeated')
  })

  it('counts a newline at the fault to the line that it ends', () => {
    expect(refusal(() => checkJson('["a\n"]'))).toMatchObject({ offset: 3, line: 1, column: 4 })
    expect(refusal(() => checkJson('\n]'))).toMatchObject({ offset: 1, line: 2, column: 1 })
    expect(refusal(() => checkJson('[1,\n'))).toMatchObject({ offset: 4, line: 2, column: 1 })
  })

  it('quotes a long number only in part', () => {
    expect(refusal(() => checkJson(`1${'0'.repeat(5000)}`)).message.length).toBeLessThan(200)
  })
})

describe('raw slices of a JSON text', () => {
  it('keep the bytes of each field, without the space around it', () => {
    const fields = fieldsOf(' { "item_id" : "x\\u0041" ,\n"input":\t{ "a" : 1.00 , "b":[ ] } , "n":1e2 } ')
    expect([...fields]).toEqual([
      ['item_id', '"x\\u0041"'],
      ['input', '{ "a" : 1.00 , "b":[ ] }'],
      ['n', '1e2'],
    ])
  })

  it('decode keys', () => {
    expect(fieldsOf('{"\\u0069nput":1}').get('input')).toBe('1')
  })

  it('are refused for another type of root, or with text after it', () => {
    expect(refusal(() => fieldsOf(' [1]')).message).toContain('expected a JSON object')
    expect(refusal(() => elementsOf('{}')).message).toContain('expected a JSON array')
    expect(refusal(() => fieldsOf('{} x')).code).toBe('invalid_json')
    expect(refusal(() => elementsOf('[1]]')).code).toBe('invalid_json')
  })

  it('are checked inside', () => {
    expect(refusal(() => fieldsOf('{"a":{"b":1,"b":2}}')).code).toBe('duplicate_key')
    expect(refusal(() => elementsOf('[1,1e999]')).code).toBe('number_out_of_range')
  })

  it('are none for an empty object or array', () => {
    expect(fieldsOf('{ }').size).toBe(0)
    expect(elementsOf('[ ]')).toEqual([])
  })
})

describe('for any JSON value', () => {
  const json = fc.json({ maxDepth: 6 })

  it('the gate accepts what JSON.stringify writes, compact or indented', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 0, max: 3 }), (text, indent) => {
        expect(verdict(JSON.stringify(JSON.parse(text), null, indent))).toBeUndefined()
      }),
    )
  })

  it('the gate agrees with JSON.parse about a text with one changed piece', () => {
    const pieces = [
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '1',
      '-',
      '.',
      'e',
      ' ',
      'u',
      '\n',
      'null',
      'a',
    ]
    fc.assert(
      fc.property(
        json,
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom('', ...pieces),
        (text, where, cut, piece) => {
          const at = where % (text.length + 1)
          const changed = text.slice(0, at) + piece + text.slice(at + cut)
          const said = verdict(changed)
          if (parses(changed)) expect([undefined, 'duplicate_key', 'number_out_of_range']).toContain(said)
          else expect(said).toBeDefined()
          if (said === 'invalid_json') expect(parses(changed)).toBe(false)
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('fields and elements can be put together again to the value', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), json)), members => {
        const texts = members.map(([, text]) => text)
        expect(elementsOf(`[ ${texts.join(' ,\n')} ]`)).toEqual(texts)
        const unique = new Map(members)
        const body = [...unique].map(([key, text]) => `${JSON.stringify(key)} : ${text}`)
        expect(fieldsOf(`{${body.join(' , ')}}`)).toEqual(unique)
      }),
    )
  })

  it('a second member with an earlier key is refused, however the key is spelled', () => {
    const spelled = (key: string) =>
      `"${Array.from({ length: key.length }, (_, i) => `\\u${key.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 40 }), fc.nat(), (keys, pick) => {
        const members = keys.map(key => `${JSON.stringify(key)}:0`)
        expect(verdict(`{${members}}`)).toBeUndefined()
        expect(verdict(`{${members},${spelled(keys[pick % keys.length]!)}:0}`)).toBe('duplicate_key')
      }),
    )
  })
})
