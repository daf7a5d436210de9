// Every table of Assay. Facts live here and nowhere else; Redis holds only what can be forgotten.
//
// Money is in micro-dollars (`_micro`). Payloads are text, not jsonb: jsonb refuses \u0000, reorders keys and
// rewrites numbers, and an item's input must come back byte for byte.

export * from './accounts/tables/accounts.ts'
export * from './accounts/tables/installation.ts'
export * from './accounts/tables/projects.ts'
export * from './accounts/tables/saved-views.ts'
export * from './agents/tables/agents.ts'
export * from './alerts/tables/alerts.ts'
export * from './items/tables/runs.ts'
export * from './outbox/tables/deliveries.ts'
export * from './prices/tables/budgets.ts'
export * from './prices/tables/prices.ts'
export * from './recovery/tables/recovery.ts'
export * from './schedules/tables/deadlines.ts'
export * from './schedules/tables/schedules.ts'
export * from './sources/tables/sources.ts'
export * from './traces/tables/model-calls.ts'
export * from './traces/tables/steps.ts'
export * from './triage/tables/causes.ts'
export * from './triage/tables/triage.ts'
export * from './triage/tables/verdicts.ts'
export * from './triggers/tables/triggers.ts'
export * from './upstreams/tables/upstream-limits.ts'
export * from './upstreams/tables/upstreams.ts'
