// Turns the values of a Parquet column into JSON's, where hyparquet would make a double, a count or a wrong text of them.
// Guarantee: decimals keep all their digits; times are texts, those without a zone have none; bytes are no text.

import type { DecodedArray, SchemaElement } from 'hyparquet'

/** A number as JSON writes it, with more digits than a double has. */
export class Digits {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}

export interface Reading {
  /** What hyparquet is to take the column for. */
  element: SchemaElement
  value: ((raw: unknown) => unknown) | undefined
}

export function readingOf(element: SchemaElement): Reading {
  const { converted_type, logical_type, type } = element
  const plain = { ...element }
  delete plain.converted_type
  delete plain.logical_type
  if (isDecimal(element)) return { element: plain, value: raw => decimal(raw, element.scale ?? 0) }
  if (isTime(element)) return { element: plain, value: raw => time(raw, perSecondOf(element)) }
  if (logical_type?.type === 'TIMESTAMP' && !logical_type.isAdjustedToUTC)
    return { element, value: raw => (typeof raw === 'string' ? raw.replace(/Z$/, '') : raw) }
  const isBare = converted_type === undefined && logical_type === undefined && type === 'BYTE_ARRAY'
  return { element, value: isBare ? textOf : undefined }
}

export const isDecimal = ({ converted_type, logical_type }: SchemaElement): boolean =>
  converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL'

export const isTime = ({ converted_type, logical_type }: SchemaElement): boolean =>
  /^TIME_/.test(converted_type ?? '') || logical_type?.type === 'TIME'

export function valuesOf(values: DecodedArray, value: Reading['value']): DecodedArray {
  return value === undefined
    ? values
    : Array.from(values as Iterable<unknown>, raw => (raw == null ? raw : value(raw)))
}

/** Whole numbers and two's complement, highest byte first, with a point in them. */
function decimal(raw: unknown, scale: number): Digits {
  const units =
    raw instanceof Uint8Array
      ? BigInt.asIntN(
          raw.length * 8,
          raw.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
        )
      : BigInt(raw as number | bigint)
  if (scale === 0) return new Digits(String(units))
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  return new Digits(`${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`)
}

const PER_SECOND: Record<string, bigint> = { MILLIS: 1000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n }

function perSecondOf({ converted_type, logical_type }: SchemaElement): bigint {
  const unit = logical_type?.type === 'TIME' ? logical_type.unit : converted_type?.slice('TIME_'.length)
  return PER_SECOND[unit ?? ''] ?? 1_000_000n
}

function time(raw: unknown, perSecond: bigint): string {
  const units = BigInt(raw as number | bigint)
  const seconds = Number(units / perSecond)
  const text = new Date(seconds * 1000).toISOString().slice('1970-01-01T'.length, -'.000Z'.length)
  const rest = String(units % perSecond).padStart(String(perSecond).length - 1, '0')
  return /[^0]/.test(rest) ? `${text}.${rest.replace(/0+$/, '')}` : text
}

/** Older writers say of no text that it is one. */
function textOf(raw: unknown): unknown {
  if (!(raw instanceof Uint8Array)) return raw
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
  } catch {
    return raw
  }
}
