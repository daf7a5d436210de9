// Compares rows with the input schema that an agent declares, and says what the rows lack. Guarantee: rows that the
// schema may accept are never reported.

import { type Row, rowOf, sharedFields } from './first-rows.ts'

/** The fields that an input must have; none if the input is a text. */
export interface Wanted {
  is_text: boolean
  fields: readonly string[]
}

/** What the schema requires; undefined if that cannot be checked by the names of fields. */
export function wantedOf(schema: unknown): Wanted | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  const { type, required } = schema as { type?: unknown; required?: unknown }
  if (type === 'string') return { is_text: true, fields: [] }
  const fields = Array.isArray(required) ? required.filter(name => typeof name === 'string') : []
  return type === 'object' && fields.length > 0 ? { is_text: false, fields } : undefined
}

/** The only field that fits as the input; undefined if the whole row fits. `taken` are fields with another use. */
export function guessInput(
  rows: readonly Row[],
  wanted: Wanted,
  taken: readonly (string | undefined)[],
): string | undefined {
  const names = sharedFields(rows).filter(name => name !== '' && !taken.includes(name))
  const holds = (name: string) => rows.every(row => fits(row.get(name)!, wanted))
  const fitting = names.filter(holds)
  if (!wanted.is_text && wanted.fields.every(name => rows.every(row => row.has(name)))) return undefined
  return fitting.length === 1 ? fitting[0] : undefined
}

function fits(json: string, { is_text, fields }: Wanted): boolean {
  if (is_text) return json.startsWith('"')
  const row = rowOf(json)
  return fields.every(name => row.has(name))
}

export interface Misfit {
  said: string
  /** What to do, for a caller that can choose one field of a row as its input. */
  fix: string
}

/**
 * Says in sentences what the agent requires and no row has; undefined if the rows may fit.
 * @param input the field that is each row's input; empty for the whole row
 */
export function misfitOf(
  agent: string,
  { is_text, fields }: Wanted,
  rows: readonly Row[],
  input: string,
): Misfit | undefined {
  const inputs = input === '' ? rows : rows.flatMap(row => (row.has(input) ? [rowOf(row.get(input)!)] : []))
  const names = [...new Set(inputs.flatMap(row => [...row.keys()]))].filter(name => name !== '')
  if (inputs.length === 0) return undefined
  const areObjects = inputs.some(row => !row.has(''))
  const have = !areObjects
    ? 'are no objects'
    : names.length === 0
      ? 'have no fields'
      : `have ${listed(names)}`
  if (is_text)
    return !areObjects
      ? undefined
      : {
          said: `${agent} wants a text; the rows ${have}.`,
          fix: 'Choose the field that holds it as the input.',
        }
  const missing = fields.filter(name => !names.includes(name))
  if (missing.length === 0) return undefined
  return {
    said: `${agent} wants ${listed(fields)}; the rows ${have}.`,
    fix: `Rename columns of the file, or choose as the input a field that holds ${listed(missing)}.`,
  }
}

const NAMES_SHOWN = 8

const listed = (names: readonly string[]): string =>
  names.length > NAMES_SHOWN
    ? `${names.slice(0, NAMES_SHOWN).join(', ')} and ${names.length - NAMES_SHOWN} more`
    : names.join(', ')
