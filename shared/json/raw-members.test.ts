import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldsOf } from './json.ts'
import { rawMembers } from './raw-members.ts'

describe('the members of an object', () => {
  it.each<[string, string, Record<string, string>]>([
    [
      'digits',
      '{"a":1.0,"b":12345678901234567890123,"c":-0.0}',
      { a: '1.0', b: '12345678901234567890123', c: '-0.0' },
    ],
    ['white space', ' {\t"a" : [ 1 , {"b":2} ] \n, "c":true } ', { a: '[ 1 , {"b":2} ]', c: 'true' }],
    ['brackets in texts', '{"a":"}],{[","b":{"}":"\\"}"}}', { a: '"}],{["', b: '{"}":"\\"}"}' }],
    ['an escaped key', '{"\\u0061b":null}', { ab: 'null' }],
    ['no members', '{}', {}],
  ])('keep their text: %s', (_, text, members) => {
    expect(Object.fromEntries(rawMembers(text)!)).toEqual(members)
  })

  it('are not read where a key is there twice, however it is written', () => {
    expect(rawMembers('{"a":1,"b":2,"\\u0061":3}')).toBeUndefined()
  })

  it('may have keys twice and any depth within a value', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(rawMembers(`{"a":{"b":1,"b":2},"c":${deep}}`)!.get('c')).toBe(deep)
  })

  it('are those of the strict reader, for any object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect([...rawMembers(text)!]).toEqual([...fieldsOf(text)])
      }),
    )
  })
})
