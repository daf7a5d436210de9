import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstIdAt, isUuid, itemRecordId, newId, newRunId, parseItemRecordId, timeOf } from './ids.ts'

const random = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
const ones = (bytes: Uint8Array) => void bytes.fill(0xff)
const zeros = (bytes: Uint8Array) => void bytes.fill(0)
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const fill = fc
  .uint8Array({ minLength: 10, maxLength: 10 })
  .map(drawn => (bytes: Uint8Array) => void bytes.set(drawn.subarray(0, bytes.length)))

describe('ids', () => {
  it('have the layout of a UUIDv7, whatever the random bytes are', () => {
    expect(newId(0x0123456789ab, ones)).toBe('01234567-89ab-7fff-bfff-ffffffffffff')
    expect(newId(0x0123456789ab, zeros)).toBe('01234567-89ab-7000-8000-000000000000')
    expect(newRunId(0x0123456789ab, ones)).toBe('01234567-89ab-7fff-bfff-ffff00000000')
    fc.assert(
      fc.property(time, fill, (ms, bytes) => {
        for (const id of [newId(ms, bytes), newRunId(ms, bytes)]) {
          expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
          expect(timeOf(id)).toBe(ms)
        }
      }),
    )
  })

  it('made in the same millisecond differ', () => {
    const made = new Set(Array.from({ length: 1000 }, () => newId(1, random)))
    expect(made.size).toBe(1000)
  })

  it('sort by time, and firstIdAt separates earlier from later ones', () => {
    fc.assert(
      fc.property(time, time, fill, (a, b, bytes) => {
        const id = newRunId(a, bytes)
        expect(id >= firstIdAt(b)).toBe(a >= b)
      }),
    )
  })

  it('cannot be made for a time out of range', () => {
    expect(() => firstIdAt(-1)).toThrow(RangeError)
    expect(() => newId(2 ** 48, zeros)).toThrow(RangeError)
    expect(() => newId(Number.NaN, zeros)).toThrow(RangeError)
  })
})

describe("an item's record id", () => {
  it('is parsed into its run and seq', () => {
    fc.assert(
      fc.property(time, fill, fc.integer({ min: 1, max: 2 ** 31 - 1 }), (ms, bytes, seq) => {
        const run_id = newRunId(ms, bytes)
        const id = itemRecordId(run_id, seq)
        expect(isUuid(id)).toBe(true)
        expect(parseItemRecordId(id)).toEqual({ run_id, seq })
        expect(parseItemRecordId(id.toUpperCase())).toEqual({ run_id, seq })
      }),
    )
  })

  it('sorts by seq within its run', () => {
    const run_id = newRunId(1_700_000_000_000, random)
    expect(itemRecordId(run_id, 9) < itemRecordId(run_id, 10)).toBe(true)
    expect(itemRecordId(run_id, 255) < itemRecordId(run_id, 2 ** 31 - 1)).toBe(true)
  })

  it('cannot be made for a seq out of range', () => {
    const run_id = newRunId(1, random)
    for (const seq of [0, -1, 2 ** 31, Number.NaN])
      expect(() => itemRecordId(run_id, seq)).toThrow(RangeError)
  })

  it.each([
    '01234567-89ab-7fff-bfff-ffff00000000',
    '01234567-89ab-7fff-bfff-ffff80000000',
    '01234567-89ab-4fff-bfff-ffff00000001',
    '01234567-89ab-7fff-cfff-ffff00000001',
    '01234567-89ab-7fff-bfff-ffff0000000g',
    '01234567-89ab-7fff-bfff-ffff0000001',
    '0123456789ab7fffbfffffff00000001',
    '{1234567-89ab-7fff-bfff-ffff00000001}',
    '',
  ])('is not recognised in %j', text => {
    expect(parseItemRecordId(text)).toBeUndefined()
  })
})

it('isUuid recognises a UUID of any version by its form', () => {
  expect(isUuid('00000000-0000-0000-0000-000000000000')).toBe(true)
  expect(isUuid('9B2D5C1E-0f3a-4c7d-8e21-5a6b7c8d9e0f')).toBe(true)
  expect(isUuid('9b2d5c1e0f3a4c7d8e215a6b7c8d9e0f')).toBe(false)
  expect(isUuid('9b2d5c1e-0f3a-4c7d-8e21-5a6b7c8d9e0f\n')).toBe(false)
  expect(isUuid('9b2d5c1e-0f3a-4c7d-8e21-5a6b7c8d9e0x')).toBe(false)
})
