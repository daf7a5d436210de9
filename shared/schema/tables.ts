// Every table of Assay. Facts live here and nowhere else; Redis holds only what can be forgotten.
//
// Money is in micro-dollars (`_micro`). Payloads are text, not jsonb: jsonb refuses \u0000, reorders keys and
// rewrites numbers, and an item's input must come back byte for byte.

export * from '../accounts/tables/budgets.ts'
export * from '../accounts/tables/prices.ts'
export * from '../outbox/tables/deadlines.ts'
export * from '../recovery/tables/causes.ts'
export * from '../recovery/tables/verdicts.ts'
export * from '../starts/tables.ts'
export * from '../upkeep/tables/installation.ts'
export * from './tables/accounts.ts'
export * from './tables/agents.ts'
export * from './tables/alerts.ts'
export * from './tables/deliveries.ts'
export * from './tables/projects.ts'
export * from './tables/recovery.ts'
export * from './tables/runs.ts'
export * from './tables/schedules.ts'
export * from './tables/steps.ts'
export * from './tables/triggers.ts'
