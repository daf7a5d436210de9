// Parses the forms of the submit page, for both the page's script and the server.

import { INPUT_LIMITS } from '../../../shared/kernel/limits/input.ts'
import { pilotName } from '../../../shared/submission/rules/pilot.ts'
import type { Fields } from '../../../shared/submission/rules/rows.ts'
import { centsOfDollars } from '../shell/dollars.ts'

/** Leaves room for what a pilot's name adds. */
const FILE_NAME_CHARACTERS = INPUT_LIMITS.name_characters - pilotName(' ').length

/** The names of the forms' fields, and of the parameters that carry them to the pilot's page. */
export const ORDER_FIELDS = [
  'agent',
  'item_id',
  'partition_key',
  'input',
  'name',
  'tags',
  'budget_usd',
  'concurrency',
  'callback_url',
  'allow_unpriced',
] as const

/** Shown at a field that holds a guess, until the user changes it. */
export const GUESSED = 'Guessed from the first rows.'

/** The fields as typed; empty fields are not sent. */
export type OrderFields = { [Name in (typeof ORDER_FIELDS)[number]]?: string | undefined }

export const mappingOf = ({ item_id, partition_key, input }: OrderFields): Fields => ({
  item_id: item_id || undefined,
  partition_key: partition_key || undefined,
  input: input || undefined,
})

/** The parameters of POST /v1/batches; the API validates their values. @throws BadOrder */
export function orderOf(fields: OrderFields): Record<string, string> {
  const { agent, budget_usd } = fields
  const cents = centsOfDollars(budget_usd)
  const faults = [
    ...(agent ? [] : ['Choose an agent.']),
    ...(cents === null ? ['The budget is no amount, such as 2.50, $2 or 250c.'] : []),
  ]
  if (faults.length > 0) throw new BadOrder(...faults)
  return settingsOf(fields)
}

/** What can be read of it, also where other fields are wrong. */
export function settingsOf(fields: OrderFields): Record<string, string> {
  const { agent, name, tags, budget_usd, concurrency, callback_url, allow_unpriced } = fields
  const cents = centsOfDollars(budget_usd)
  const order = {
    agent,
    name,
    budget_cents: cents?.toString(),
    concurrency,
    callback_url,
    allow_unpriced: allow_unpriced && 'true',
    tags: tagsOf(tags).join(','),
  }
  return Object.fromEntries(
    Object.entries(order).flatMap(([key, value]) => (value?.trim() ? [[key, value.trim()]] : [])),
  )
}

/** Splits a comma-separated list into distinct tags. */
export const tagsOf = (text = ''): string[] => [
  ...new Set(text.split(',').flatMap(word => (word.trim() ? [word.trim()] : []))),
]

/** The order of the pilot, without the callback: only the user at the page needs its result. */
export function orderOfPilot({ callback_url: _, ...order }: Record<string, string>): Record<string, string> {
  return { ...order, name: pilotName(order.name) }
}

/** Names the order after its file where no name was given, so that pilot and rest, two runs, get similar names. */
export const namedOrder = (fields: OrderFields, file: string): OrderFields => ({
  ...fields,
  name: fields.name?.trim() || (isPasted(file) ? undefined : file.slice(0, FILE_NAME_CHARACTERS)),
})

export const isPasted = (file: string): boolean => file.startsWith('pasted.')

/** Has each fault as a sentence. */
export class BadOrder extends Error {
  readonly faults: readonly string[]

  constructor(...faults: string[]) {
    super(faults.join(' '))
    this.faults = faults
  }
}

export const NO_FILE = 'Choose a file, or paste lines.'

/** What the API calls the fields, and the form. */
const LABELS: Record<string, string> = {
  name: 'Name',
  tags: 'Tags',
  concurrency: 'Concurrency',
  callback_url: 'Callback address',
}

/** The sentences of a message that names several parameters, by the labels of the form. */
export const faultsIn = (message: string): string[] =>
  message
    .split(/ (?=Query parameter ")/)
    .map(one =>
      one.replace(/^Query parameter "(\w+)":/, (whole, name) => (LABELS[name] ? `${LABELS[name]}:` : whole)),
    )

/** The file a pilot was taken from. */
export interface PilotSource {
  run_id: string
  file: string
  rows: number
  bytes: number
}

/** The form's values as a query. */
export function orderQuery(fields: OrderFields): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of ORDER_FIELDS) if (fields[name]) query.set(name, fields[name])
  return query
}

/** The query of the pilot's page: everything needed to submit the rest. */
export function pilotQuery(fields: OrderFields, { run_id, file, rows, bytes }: PilotSource): string {
  const query = orderQuery(fields)
  query.set('pilot', run_id)
  query.set('file', file)
  query.set('rows', String(rows))
  query.set('bytes', String(bytes))
  return query.toString()
}

export const CHANGED = 'This is not the file of the pilot, or it has changed since: its rows are others.'
