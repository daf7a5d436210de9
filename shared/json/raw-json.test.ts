import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../kernel/limits.ts'
import { jsonArray, jsonLines, rawJson, toJson } from './raw-json.ts'

describe('toJson', () => {
  it('writes any value as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(toJson(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('inserts raw texts byte for byte, at any depth', () => {
    const value = { a: rawJson('{"b":1.0, "a":\t1e2}'), list: [rawJson('"\\u0000"')], none: rawJson(null) }
    expect(toJson(value)).toBe('{"a":{"b":1.0, "a":\t1e2},"list":["\\u0000"],"none":null}')
  })

  it('leaves out undefined values and writes dates as text', () => {
    expect(toJson({ a: undefined, b: new Date(0) })).toBe('{"b":"1970-01-01T00:00:00.000Z"}')
  })
})

describe('a streamed response', () => {
  const ROWS = Array.from({ length: 9 }, (_, n) => ({ n, text: 'x'.repeat(LIMITS.piece_characters / 4) }))
  async function* chunks<T>(...given: T[][]): AsyncGenerator<T[]> {
    yield* given
  }

  it.each([
    ['none', []],
    ['one chunk', [ROWS]],
    ['several', [ROWS.slice(0, 4), ROWS.slice(4, 5), ROWS.slice(5)]],
  ])('contains every row of %s, in pieces of similar length', async (_, given) => {
    for (const form of [jsonArray, jsonLines]) {
      const pieces: string[] = []
      for await (const piece of form(chunks(...given), row => row)) pieces.push(piece)
      for (const piece of pieces) expect(piece.length).toBeLessThan(1.3 * LIMITS.piece_characters)
      const text = pieces.join('')
      const rows =
        form === jsonArray
          ? JSON.parse(text)
          : text
              .split('\n')
              .filter(Boolean)
              .map((line: string) => JSON.parse(line))
      expect(rows).toEqual(given.flat())
    }
  })
})
