import { expect, it } from 'vitest'
import { isCutJson, parseCutJson } from './cut-json.ts'

const whole = '{"label": "bil\\"ling [}", "more": [{"a": 1}, "x"], "n": null}'

it('every beginning of an object, a list or a string is cut, and the whole is not', () => {
  for (const text of [whole, `[${whole}, 1]`, '"a \\" b"', ' \n{"a": {}}']) {
    const first = text.search(/\S/) + 1
    for (let length = first; length < text.length; length++)
      expect(isCutJson(text.slice(0, length)), text.slice(0, length)).toBe(true)
    expect(isCutJson(text)).toBe(false)
    expect(isCutJson(`${text}, and so on`)).toBe(false)
  }
})

it.each(['', ' ', 'billing', '12', 'nul', '}', ']', '(', '{}', '[]', '""'])('%j is not cut', text => {
  expect(isCutJson(text)).toBe(false)
})

it.each(['{', '[', '"', '\\', '{"a":', ' '])('a text that only repeats %j is read', piece => {
  expect(typeof isCutJson(piece.repeat(500_000))).toBe('boolean')
})

it('JSON is read as far as it goes, wherever it is cut', () => {
  for (let length = 1; length < whole.length; length++)
    expect(parseCutJson(whole.slice(0, length)), whole.slice(0, length)).toBeTypeOf('object')
  expect(parseCutJson(whole)).toEqual(JSON.parse(whole))
  expect(parseCutJson(whole.slice(0, 20))).toEqual({ label: 'bil"ling' })
})

it.each([
  ['{"a": [{"b": "x"}, {"c": "ye', { a: [{ b: 'x' }, { c: 'ye' }] }],
  ['{"a": 1, "key', { a: 1 }],
  ['{"a": 1, "key": ', { a: 1 }],
  ['[1, 23', [1]],
  ['"one\\', 'one'],
  ['"one\\u00e', 'one'],
  ['"one\\\\', 'one\\'],
  ['"one\\\\u00', 'one\\u00'],
  ['no JSON', undefined],
  ['{]', undefined],
])('%s is read as %j', (text, value) => expect(parseCutJson(text)).toEqual(value))
