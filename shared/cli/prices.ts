// Commands that list, set and remove a project's own prices; a price applies from a date on.

import { defined } from '../kernel/defined.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { type ExitCode, usageFailure } from './failure.ts'
import { clean, minute, money, plural } from './format.ts'
import { printList } from './listing.ts'
import { BY_ID, inFull } from './pages.ts'
import { projectOf } from './projects.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Price = Schemas['OwnPrice']

const EVER = new Date(0).toISOString()
const begins = (price: Price) => (price.effective_from === EVER ? 'ever' : minute(price.effective_from))

const PRICES: Column<Price>[] = [
  { title: 'MODEL', value: row => row.model, least: 10 },
  { title: 'INPUT $/M', value: row => money(row.input_per_mtok), align: 'right' },
  {
    title: 'CACHED $/M',
    value: row => (row.cached_input_per_mtok === null ? '-' : money(row.cached_input_per_mtok)),
    align: 'right',
    optional: 1,
  },
  { title: 'OUTPUT $/M', value: row => money(row.output_per_mtok), align: 'right' },
  { title: 'FROM (UTC)', value: begins },
]

const read = (session: Session, path: { projectId: string }) =>
  answered(session.api.GET('/v1/projects/{projectId}/prices', { params: { path } }))

export async function prices(session: Session, given: Given): Promise<ExitCode> {
  const path = await projectOf(session, given)
  return printList<Price>(session, given, {
    event: 'price',
    empty: 'no prices of its own: models have those of the list that Assay brings, or none',
    ...inFull(() => read(session, path)),
    ...BY_ID,
    text: (rows, screen) => table(PRICES, rows, screen),
  })
}

export async function setPrice(session: Session, given: Given): Promise<void> {
  const { api, output } = session
  const model = given.arg(0)
  const [input, cached, from] = [usd(given, 'input'), usd(given, 'cached-input'), momentOf(given)]
  const out = usd(given, 'output')
  if (input === undefined || out === undefined)
    throw usageFailure(`--${input === undefined ? 'input' : 'output'} is missing`, {
      hint: 'both are dollars per million tokens, as providers list them',
      next: 'assay prices set --help',
    })
  const optional = defined({ cached_input_per_mtok: cached, effective_from: from })
  const body = { model, input_per_mtok: input, output_per_mtok: out, ...optional }
  const params = { path: await projectOf(session, given) }
  const price = await answered(api.POST('/v1/projects/{projectId}/prices', { params, body }))
  output.emit(
    'price_set',
    price,
    () =>
      `${clean(price.model)}: ${money(price.input_per_mtok)} in, ${money(price.output_per_mtok)} out per million tokens, from ${price.effective_from}\nRecorded costs stay as they are, and what was unpriced stays unpriced; items that wait for this price alone continue within a minute.`,
  )
}

export async function removePrices(session: Session, given: Given): Promise<void> {
  const { api, output } = session
  const [model, from, path] = [given.arg(0), momentOf(given), await projectOf(session, given)]
  const ofModel = (await read(session, path)).filter(row => row.model === model)
  const gone = ofModel.filter(
    row => from === undefined || Date.parse(row.effective_from) === Date.parse(from),
  )
  if (gone.length === 0)
    throw usageFailure(`there is no such price of ${model}`, {
      hint: ofModel.length > 0 ? `there are prices from ${ofModel.map(begins).join(', ')}` : undefined,
      next: 'assay prices list',
    })
  for (const { id } of gone)
    await answered(
      api.DELETE('/v1/projects/{projectId}/prices/{priceId}', { params: { path: { ...path, priceId: id } } }),
    )
  const removed = plural(gone.length, 'price')
  output.emit(
    'prices_removed',
    { prices: gone },
    () => `${removed} of ${clean(model)} removed; recorded costs stay as they are`,
  )
}

function usd(given: Given, name: string): number | undefined {
  const text = given.text(name)
  if (text === undefined) return undefined
  const value = /^\$?(\d+(?:\.\d+)?)$/.exec(text)?.[1]
  if (value === undefined)
    throw usageFailure(`--${name} is "${text}"; it must be dollars per million tokens, such as 2.50`)
  return Number(value)
}

/** The time given with --from; a day alone means midnight UTC. */
function momentOf(given: Given): string | undefined {
  const text = given.text('from')
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
}
