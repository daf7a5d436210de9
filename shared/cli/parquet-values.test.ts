import type { SchemaElement } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { readingOf, valuesOf } from './parquet-values.ts'

const read = (element: Partial<SchemaElement>, values: unknown[]) => {
  const { value } = readingOf({ name: 'a', ...element } as SchemaElement)
  return Array.from(valuesOf(values as never, value) as unknown[])
}
const bytes = (...all: number[]) => new Uint8Array(all)

describe('a value of a Parquet column', () => {
  it.each([
    ['whole numbers of 32 bits', { type: 'INT32' }, [110, -1, 0, 5]],
    ['whole numbers of 64 bits', { type: 'INT64' }, [110n, -1n, 0n, 5n]],
    ['bytes', { type: 'FIXED_LEN_BYTE_ARRAY' }, [bytes(0, 110), bytes(255, 255), bytes(0), bytes(5)]],
  ] as const)('that is a decimal in %s keeps its digits', (_, element, values) => {
    const decimal = { ...element, converted_type: 'DECIMAL', precision: 18, scale: 2 } as never
    const found = read(decimal, [...values, null]) as ({ json: string } | null)[]
    expect(found.map(one => one?.json)).toEqual(['1.10', '-0.01', '0.00', '0.05', undefined])
  })

  it('that is a decimal has more digits than a double', () => {
    const element = { type: 'INT64', logical_type: { type: 'DECIMAL' }, scale: 8 } as never
    expect(read(element, [123456789012345678n])).toMatchObject([{ json: '1234567890.12345678' }])
  })

  it.each([
    [{ type: 'TIME', isAdjustedToUTC: false, unit: 'MILLIS' }, 29_701_000, '08:15:01'],
    [{ type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' }, 29_701_000_500n, '08:15:01.0005'],
    [{ type: 'TIME', isAdjustedToUTC: true, unit: 'NANOS' }, 0n, '00:00:00'],
  ] as const)('that is a time of %j is a text', (logical_type, raw, text) => {
    expect(read({ logical_type } as never, [raw])).toEqual([text])
  })

  it('that is a time without a zone has none', () => {
    const of = (isAdjustedToUTC: boolean) =>
      read({ logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'MICROS' } } as never, [
        '2026-03-01T12:30:05Z',
      ])
    expect(of(false)).toEqual(['2026-03-01T12:30:05'])
    expect(of(true)).toEqual(['2026-03-01T12:30:05Z'])
  })

  it('that is of bytes without a type is a text only if it is UTF-8', () => {
    const raw = bytes(0, 255)
    expect(read({ type: 'BYTE_ARRAY' }, [new TextEncoder().encode('é'), raw])).toEqual(['é', raw])
  })
})
