import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rawJson, toJson } from './raw-json.ts'

describe('toJson', () => {
  it('writes any value as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(toJson(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('puts raw texts in byte for byte, at any depth', () => {
    const value = { a: rawJson('{"b":1.0, "a":\t1e2}'), list: [rawJson('"\\u0000"')], none: rawJson(null) }
    expect(toJson(value)).toBe('{"a":{"b":1.0, "a":\t1e2},"list":["\\u0000"],"none":null}')
  })

  it('leaves out what is undefined and writes dates as texts', () => {
    expect(toJson({ a: undefined, b: new Date(0) })).toBe('{"b":"1970-01-01T00:00:00.000Z"}')
  })
})
