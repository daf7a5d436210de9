// The settings that a schedule or trigger gives to each run it starts. Guarantee: every setting here is accepted, shown
// and given to every run, whether a statement copies its column or an order is made of it.

import * as z from '../../kernel/documented-zod.ts'
import {
  budgetCents,
  concurrency,
  httpUrl,
  patienceSeconds,
  pilotItems,
  tags,
  timeoutSeconds,
} from '../../kernel/fields.ts'
import { shownUrlOrNull } from '../../kernel/shown-url.ts'
import { centsOf, microOf } from '../../prices/rules/pricing.ts'
import type { startColumns } from '../tables/start-columns.ts'
import { allowUnpriced, UNPRICED_STARTS } from './run-order.ts'

/** The settings as stored: columns of schedules and triggers, and of runs. */
export interface StartSettings {
  budget_micro: number | null
  allow_unpriced: boolean
  timeout_seconds: number | null
  patience_seconds: number | null
  callback_url: string | null
  pilot_items: number | null
  concurrency: number | null
  tags: string[]
}

/** The settings of a schedule or trigger that sets none. */
export const NO_SETTINGS = {
  budget_micro: null,
  allow_unpriced: false,
  timeout_seconds: null,
  patience_seconds: null,
  callback_url: null,
  pilot_items: null,
  concurrency: null,
  tags: [],
} satisfies Record<keyof ReturnType<typeof startColumns>, unknown> as StartSettings

type Column = keyof StartSettings

export const START_COLUMNS = Object.keys(NO_SETTINGS) as readonly Column[]

/** The columns for a run over one item, which has no pilot. */
export const START_COLUMNS_OF_ONE = START_COLUMNS.filter(name => name !== 'pilot_items')

/** Picks the settings from a row that has more columns. */
export const startOf = (row: StartSettings): StartSettings =>
  Object.fromEntries(START_COLUMNS.map(name => [name, row[name]])) as unknown as StartSettings

/** The settings as part of a run's order; other columns of `start` are left out. */
export function orderOfStart(start: StartSettings) {
  const { budget_micro, allow_unpriced, ...rest } = startOf(start)
  return {
    ...rest,
    budget_cents: budget_micro === null ? null : budget_micro / 10_000, // exact, as the caller gave it
    unpriced: allow_unpriced ? ('allow' as const) : ('pause' as const),
  }
}

/** The settings as callers send them. */
export const startOrder = {
  budget_cents: budgetCents.nullable().optional(),
  allow_unpriced: allowUnpriced.optional(),
  pilot_items: pilotItems.nullable().optional(),
  concurrency: concurrency.nullable().optional(),
  timeout_seconds: timeoutSeconds.nullable().optional(),
  patience_seconds: patienceSeconds.nullable().optional(),
  callback_url: httpUrl('Gets a signed summary when a run ends.').nullable().optional(),
  tags: tags.optional(),
}

/** The settings in a request; those that are undefined stay as they are. */
export type SaidStart = z.output<z.ZodObject<typeof startOrder>>

/** The columns for the settings in a request. */
export function startSaid({ budget_cents, ...said }: SaidStart): Partial<StartSettings> {
  const budget_micro = budget_cents == null ? budget_cents : microOf(budget_cents)
  const columns = START_COLUMNS.map(name => [name, { ...said, budget_micro }[name]] as const)
  return Object.fromEntries(columns.filter(([, value]) => value !== undefined))
}

/** The settings as responses show them. */
export const shownStart = {
  budget_cents: z.int().nullable().describe('Money each run may spend; null is no bound.'),
  allow_unpriced: z.boolean().describe(UNPRICED_STARTS),
  pilot_items: z.int().nullable().describe('So many items of each run go first; null is all at once.'),
  concurrency: z
    .int()
    .nullable()
    .describe('Items of each run at work at once at most; null is no bound of its own.'),
  timeout_seconds: z.int().nullable().describe('Time an item may take; null is what the agent declares.'),
  patience_seconds: z
    .int()
    .nullable()
    .describe('How long each run waits for upstreams; null is what the agent declares.'),
  callback_url: z.string().nullable().describe('What may be a secret in it is masked.'),
  tags: z.array(z.string()).describe('What each of its runs is tagged with when it starts.'),
}

export function shownStartOf(row: StartSettings): z.input<z.ZodObject<typeof shownStart>> {
  const { budget_micro, callback_url, ...rest } = startOf(row)
  return {
    budget_cents: budget_micro === null ? null : centsOf(budget_micro),
    callback_url: shownUrlOrNull(callback_url),
    ...rest,
  }
}
