// Where a request carries a number, a text or a list, by the schemas of the OpenAPI document, and the values just
// inside and just outside the bounds there.

import type { Document } from '../conformance/contract.ts'

export type Schema = Record<string, unknown>

/** A place in a value: its schema, and the whole value with something else there. */
export interface Place {
  path: string[]
  schema: Schema
  with(value: unknown): unknown
}

/** Stands in JSON for a text that JSON.stringify does not write, such as 1e999. */
export const raw = (text: string) => `@raw:${text}@`
export const withRaw = (json: string) => json.replace(/"@raw:([^"]*)@"/g, '$1')

export class Places {
  readonly #document: Document

  constructor(document: Document) {
    this.#document = document
  }

  /** Every place below a schema, in a value that holds `base` and whatever leads to the place. */
  within(given: unknown, base: unknown, path: string[] = []): Place[] {
    const schema = this.#resolved(given)
    const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
    if (choices)
      return choices.flatMap(one => this.within({ ...one }, this.#fits(one, base) ? base : undefined, path))
    const types = [schema.type].flat()
    const own: Place[] = types.some(type => ['integer', 'number', 'string', 'array'].includes(type as string))
      ? [{ path, schema, with: value => value }]
      : []
    if (types.includes('array')) return [...own, ...this.#below(schema, base, path)]
    if (!types.includes('object')) return own
    const properties = (schema.properties ?? {}) as Record<string, Schema>
    const whole = (base ?? this.sample(schema)) as Record<string, unknown>
    return Object.entries(properties).flatMap(([name, inner]) =>
      this.within(inner, whole[name], [...path, name]).map(place => ({
        ...place,
        with: (value: unknown) => ({ ...whole, [name]: place.with(value) }),
      })),
    )
  }

  #below(schema: Schema, base: unknown, path: string[]): Place[] {
    const [first] = Array.isArray(base) && base.length > 0 ? base : [undefined]
    return this.within(schema.items ?? {}, first, [...path, '0']).map(place => ({
      ...place,
      with: (value: unknown) => [place.with(value)],
    }))
  }

  #fits({ type }: Schema, base: unknown): boolean {
    if (base === undefined) return false
    const kind = base === null ? 'null' : Array.isArray(base) ? 'array' : typeof base
    return [type].flat().some(one => one === kind || (kind === 'number' && one === 'integer'))
  }

  #resolved(given: unknown): Schema {
    const { $ref, ...rest } = given as Schema
    if (typeof $ref !== 'string') return rest
    return { ...this.#document.components.schemas[$ref.split('/').at(-1)!], ...rest }
  }

  /** A value that the schema allows, its example where it has one. */
  sample(given: unknown): unknown {
    const schema = this.#resolved(given)
    if (schema.example !== undefined) return schema.example
    if (schema.const !== undefined) return schema.const
    if (Array.isArray(schema.enum)) return schema.enum[0]
    const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
    if (choices) return this.sample(choices.find(one => this.#resolved(one).type !== 'null'))
    switch ([schema.type].flat()[0]) {
      case 'object': {
        const properties = (schema.properties ?? {}) as Record<string, Schema>
        const required = (schema.required ?? []) as string[]
        return Object.fromEntries(required.map(name => [name, this.sample(properties[name] ?? {})]))
      }
      case 'array':
        return [this.sample(schema.items ?? {})]
      case 'integer':
      case 'number':
        return Number(schema.minimum ?? schema.exclusiveMinimum ?? 0) + Number('exclusiveMinimum' in schema)
      case 'boolean':
        return true
      case 'string':
        if (schema.format === 'uri') return 'https://example.org/a'
        if (schema.format === 'date-time') return '2026-01-01T00:00:00Z'
        if (schema.format === 'uuid') return '01900000-0000-7000-8000-000000000001'
        return 'a'.repeat(Math.max(1, Number(schema.minLength ?? 1)))
      default:
        return 1
    }
  }
}

/** A value to put in a place, and whether the schema allows it there; undefined if the schema does not say. */
export interface Trial {
  value: unknown
  fits: boolean | undefined
}

const trial = (value: unknown, fits: boolean | undefined): Trial => ({ value, fits })

export function trialsOf(schema: Schema, sample: unknown): Trial[] {
  const types = [schema.type].flat()
  if (types.includes('integer') || types.includes('number'))
    return numbersOf(schema, types.includes('integer'))
  if (types.includes('array')) return listsOf(schema, sample as unknown[])
  return textsOf(schema)
}

const NO_NUMBERS = ['1', '', 'NaN', 'Infinity', '0x10', true, [], {}, [1]]

function numbersOf({ minimum, maximum, exclusiveMinimum, enum: named }: Schema, isWhole: boolean): Trial[] {
  const [least, most] = [Number(minimum ?? exclusiveMinimum), Number(maximum)]
  const fits = (value: number): boolean =>
    value <= most &&
    (minimum === undefined ? value > least : value >= least) &&
    !(isWhole && !Number.isInteger(value)) &&
    !(Array.isArray(named) && !named.includes(value))
  const step = isWhole ? 1 : 0.001
  const numbers = [
    ...[least - step, least, least + step, most - step, most, most + step, 0, -1, 0.5, 1.5, least + 0.5],
    ...[31, 32, 53, 63].flatMap(bits => [2 ** bits - 1, 2 ** bits, -(2 ** bits)]),
    ...[1e300, -1e300, Number.MIN_VALUE],
  ]
  return [
    ...[...new Set(numbers)].map(value => trial(value, fits(value))),
    trial(raw('-0'), fits(0) ? undefined : false),
    ...['1e999', '-1e999', '12345678901234567890'].map(text => trial(raw(text), false)),
    ...NO_NUMBERS.map(value => trial(value, false)),
  ]
}

function listsOf({ maxItems }: Schema, sample: unknown[]): Trial[] {
  const of = (length: number) => Array.from({ length }, () => sample?.[0] ?? 1)
  return [
    ...(maxItems === undefined ? [] : [trial(of(Number(maxItems) + 1), false)]),
    ...[{}, 7, 'a', raw('1e999')].map(value => trial(value, false)),
    trial([], undefined),
    trial([null], undefined),
  ]
}

function textsOf({ minLength, maxLength }: Schema): Trial[] {
  return [
    ...(maxLength === undefined ? [] : [trial('x'.repeat(Number(maxLength) + 1), false)]),
    ...(maxLength === undefined ? [] : [trial('x'.repeat(Number(maxLength)), undefined)]),
    ...(minLength === undefined ? [] : [trial('x'.repeat(Number(minLength) - 1), false)]),
    ...['', ' ', '\0', 'a\0', '\ud800', '\u2028', '😀'.repeat(20), 'x'.repeat(5000), 'NaN', '__proto__'].map(
      value => trial(value, undefined),
    ),
    ...[7, true, [], {}, raw('1e999')].map(value => trial(value, false)),
  ]
}
