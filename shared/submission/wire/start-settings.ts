// What each run of something that starts runs by itself is started with. Guarantee: a setting that stands here is given to
// every run, whether a statement copies its column or an order is made of it.

/** As it is kept: columns of schedules, and of runs. */
export interface StartSettings {
  budget_micro: number | null
  allow_unpriced: boolean
  timeout_seconds: number | null
  callback_url: string | null
  pilot_items: number | null
  concurrency: number | null
  tags: string[]
}

/** Of what says nothing of them. */
export const NO_SETTINGS: StartSettings = {
  budget_micro: null,
  allow_unpriced: false,
  timeout_seconds: null,
  callback_url: null,
  pilot_items: null,
  concurrency: null,
  tags: [],
}

type Column = keyof StartSettings

export const START_COLUMNS = Object.keys(NO_SETTINGS) as readonly Column[]

/** Of a run over one item: there is none that goes before the others. */
export const START_COLUMNS_OF_ONE = START_COLUMNS.filter(name => name !== 'pilot_items')

/** Their part of a run's order, of whatever else `start` has. */
export function orderOfStart(start: StartSettings) {
  const settings = Object.fromEntries(
    START_COLUMNS.map(name => [name, start[name]]),
  ) as unknown as StartSettings
  const { budget_micro, allow_unpriced, ...rest } = settings
  return {
    ...rest,
    budget_cents: budget_micro === null ? null : budget_micro / 10_000, // exact, as it was named
    unpriced: allow_unpriced ? ('allow' as const) : ('pause' as const),
  }
}
