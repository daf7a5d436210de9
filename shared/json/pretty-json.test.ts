import fc from 'fast-check'
import { expect, it } from 'vitest'
import { prettyJson, textsOverLines } from './pretty-json.ts'

it('pretty JSON is indented as by JSON.stringify', () => {
  fc.assert(
    fc.property(fc.json(), text => {
      expect(prettyJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2))
    }),
  )
})

it('pretty JSON keeps every token as it was written', () => {
  const text =
    '{"n":1.50,"big":12345678901234567890.10,"e":1E+2,"u":"\\u003cb\\/","none":[],"deep":[ { } ,\n[[1]]]}'
  expect(prettyJson(text).replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
  expect(prettyJson(text).split('\n').slice(0, 3)).toEqual([
    '{',
    '  "n": 1.50,',
    '  "big": 12345678901234567890.10,',
  ])
})

it('pretty JSON of a text that is cut adds only blanks between tokens, wherever the cut is', () => {
  const text = '{"html":"Lorem ipsum, refund: dolor","path":"C:\\\\a, \\"b\\"","list":[1.50,true]}'
  const isPrefix = (cut: string) => {
    const pretty = prettyJson(cut)
    let at = 0
    for (const char of pretty) if (char === cut[at]) at++
    return at === cut.length && pretty.replaceAll(/\n *|(?<=":) /g, '') === cut
  }
  const cuts = Array.from({ length: text.length }, (_, at) => text.slice(0, at + 1))
  expect(cuts.filter(cut => !isPrefix(cut))).toEqual([])
  expect(prettyJson(text.slice(0, 30))).toBe('{\n  "html": "Lorem ipsum, refund: ')
})

it('pretty JSON may contain a string of a megabyte', () => {
  const text = JSON.stringify(`${'a\\"'.repeat(300_000)}`)
  expect(prettyJson(text)).toBe(text)
})

it('texts of several lines are shown on several lines, and everything else is unchanged', () => {
  const json = JSON.stringify({ answer: '# Title\n\n- "one"', n: 1, list: ['a\nb', 'c'], path: 'C:\\new' })
  expect(textsOverLines(prettyJson(json)).split('\n')).toEqual([
    '{',
    '  "answer": """',
    '    # Title',
    '    ',
    '    - "one"',
    '  """,',
    '  "n": 1,',
    '  "list": [',
    '    """',
    '      a',
    '      b',
    '    """,',
    '    "c"',
    '  ],',
    '  "path": "C:\\\\new"',
    '}',
  ])
})
