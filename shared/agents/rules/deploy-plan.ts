// Plans what a deploy changes: what runs, and the agent's schedules and triggers. Guarantee: whatever no code ever
// declared is left alone, and a plan made after another was carried out changes nothing.

import type { DeclaredCheck } from '../../grading/vocabulary.ts'
import { canonicalJson } from '../../json/canonical.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { limitsText } from '../../pacing/rules/declared-limits.ts'
import type { NamedLimits } from '../../pacing/rules/named-limits.ts'
import type { AgentDeclaration, DeclaredSource } from '../../protocol/rules/protocol.ts'
import type { ResultsReceiver } from '../../results/rules/results.ts'
import {
  type ItemsOrder,
  itemsDeclared,
  itemsInWords,
  sameItems,
} from '../../sources/rules/declared-source.ts'
import type { PlanAction } from '../vocabulary.ts'

/** An existing schedule. Its key is the agent and the cron. */
export interface StandingSchedule {
  id: string
  cron: string
  timezone: string
  /** JSON text; null where it is longer than code may declare. */
  input: string | null
  /** Where its items come from, as code would declare it; null if each run is over the input. */
  source: DeclaredSource | null
  enabled: boolean
  declared: boolean
  results?: ResultsReceiver | null
}

/** An existing trigger. Its key is the agent and the name. */
export interface StandingTrigger {
  id: string
  name: string
  secret_env: string | null
  /** Where its items come from, as code would declare it; null if each fire is over one item, its body. */
  items: ItemsOrder | null
  declared: boolean
}

/** A field that a deploy sets; long values are cut. */
export interface FieldChange {
  field: string
  from: string | null
  to: string | null
}

export interface PlannedSchedule {
  action: Exclude<PlanAction, 'rotated' | 'kept'>
  /** Null until it is created. */
  id: string | null
  cron: string
  timezone: string
  /** JSON text. */
  input: string
  source: DeclaredSource | null
  /** Absent if the receiver stays as it is. */
  results?: ResultsReceiver
  changes: FieldChange[]
}

export interface PlannedTrigger {
  action: PlanAction
  /** Null until it is created. */
  id: string | null
  name: string
  secret_env: string | null
  items: ItemsOrder | null
  /** The trigger that a rename deletes, with its URL and its secret. */
  replaces: { id: string; name: string } | null
  /** The trigger whose start settings it gets: the one that it replaces, or that is kept beside it. */
  start_of: string | null
  changes: FieldChange[]
}

type Declared = Pick<AgentDeclaration, 'schedules' | 'triggers' | 'schedule_input'>

/**
 * Declared schedules are created, or changed to what the declaration says: an operator's disable is undone, and a
 * schedule made through the API under the same cron becomes a declared one. Schedules that are no longer declared are
 * deleted. Settings that a declaration cannot have (a budget, a callback) stay as they are. So does the receiver of the
 * results if the declaration names none, and a source if neither this declaration nor the one before names one: it was
 * set by hand.
 */
export function planSchedules(
  { schedules = [], schedule_input = null }: Declared,
  standing: readonly StandingSchedule[],
  before: Pick<Declared, 'schedules'> = {},
): PlannedSchedule[] {
  const hadSource = new Set(before.schedules?.filter(one => one.source).map(one => one.cron))
  const byCron = new Map(standing.map(one => [one.cron, one]))
  const kept = new Set(schedules.map(one => one.cron))
  return [
    ...schedules.map(({ cron, timezone = 'UTC', results: said, ...declared }): PlannedSchedule => {
      const before = byCron.get(cron)
      const ownSource = hadSource.has(cron) ? null : (before?.source ?? null)
      const source = declared.source === undefined ? ownSource : declared.source
      const input = source === null ? canonicalJson(schedule_input) : 'null'
      const results = said && { url: said.url, format: said.format ?? 'csv' }
      const planned = { cron, timezone, source, ...(results && { results }) }
      if (before === undefined) return { action: 'created', id: null, ...planned, input, changes: [] }
      const sameInput =
        before.input !== null && canonicalJson(JSON.parse(before.input)) === input ? before.input : undefined
      const changes = [
        ...changed('timezone', before.timezone, timezone),
        ...(sameInput ? [] : changed('input', before.input, input)),
        ...itemsChanged(before.source, source),
        ...(results ? changed('results', inWords(before.results), inWords(results)) : []),
        ...changed('enabled', before.enabled, true),
        ...changed('declared', before.declared, true),
      ]
      const after = sameInput ?? input
      return { action: changedOrNot(changes), id: before.id, ...planned, input: after, changes }
    }),
    ...standing
      .filter(one => one.declared && !kept.has(one.cron))
      .map(({ id, cron, timezone, input, source }): PlannedSchedule => {
        return { action: 'deleted', id, cron, timezone, input: input ?? 'null', source, changes: [] }
      }),
  ]
}

const inWords = (results: ResultsReceiver | null | undefined) =>
  results ? `${results.url} (${results.format})` : null

/**
 * Plans triggers in the same way. A name is a key, so a new name is a new trigger with its own URL and secret; if
 * exactly one goes and one comes, the plan shows a rename. Triggers that are no longer declared may be kept instead, and
 * the one that comes gets the same settings.
 */
export function planTriggers(
  { triggers = [] }: Declared,
  standing: readonly StandingTrigger[],
  undeclared: 'deleted' | 'kept' = 'deleted',
): PlannedTrigger[] {
  const byName = new Map(standing.map(one => [one.name, one]))
  const kept = new Set(triggers.map(one => one.name))
  const gone = standing.filter(one => one.declared && !kept.has(one.name))
  const come = triggers.filter(one => !byName.has(one.name))
  const other = gone.length === 1 && come.length === 1 ? gone[0]! : null
  const renamed = undeclared === 'deleted' ? other : null
  return [
    ...triggers.map((declared): PlannedTrigger => {
      const { name, secret_env = null } = declared
      const planned = { name, secret_env, items: itemsDeclared(declared) }
      const before = byName.get(name)
      if (before === undefined) {
        const replaces = renamed && { id: renamed.id, name: renamed.name }
        const start_of = other?.id ?? null
        return {
          action: renamed ? 'rotated' : 'created',
          id: null,
          ...planned,
          replaces,
          start_of,
          changes: [],
        }
      }
      const changes = [
        ...changed('secret_env', before.secret_env, secret_env),
        ...itemsChanged(before.items, planned.items),
        ...changed('declared', before.declared, true),
      ]
      return {
        action: changedOrNot(changes),
        id: before.id,
        ...planned,
        replaces: null,
        start_of: null,
        changes,
      }
    }),
    ...(renamed === null ? gone : []).map(({ id, name, secret_env, items }): PlannedTrigger => {
      return { action: undeclared, id, name, secret_env, items, replaces: null, start_of: null, changes: [] }
    }),
  ]
}

const changedOrNot = (changes: FieldChange[]) => (changes.length > 0 ? 'changed' : 'unchanged')

type Value = string | boolean | null

function changed(field: string, from: Value, to: Value): FieldChange[] {
  return from === to ? [] : [{ field, from: excerpt(from), to: excerpt(to) }]
}

function itemsChanged(from: ItemsOrder | null, to: ItemsOrder | null): FieldChange[] {
  if (sameItems(from, to)) return []
  return [{ field: 'source', from: excerpt(itemsInWords(from)), to: excerpt(itemsInWords(to)) }]
}

function excerpt(value: Value): string | null {
  return value === null ? null : String(value).slice(0, LIMITS.plan_value_characters).toWellFormed()
}

/** What a deploy does to a limit that the declaration carries. */
export interface PlannedLimit {
  action: Extract<PlanAction, 'created' | 'changed' | 'deleted' | 'unchanged'>
  host: string
  credential: string | null
  /** In words; null for none. */
  from: string | null
  to: string | null
}

/** Plans the limits that the declaration carries, each by its host and credential. */
export function planLimits(
  { limits = [] }: Pick<AgentDeclaration, 'limits'>,
  before: Pick<AgentDeclaration, 'limits'> = {},
): PlannedLimit[] {
  const keyOf = ({ host, credential }: NamedLimits) => JSON.stringify([host, credential ?? null])
  const [was, is] = [before.limits ?? [], limits].map(list => new Map(list.map(one => [keyOf(one), one])))
  return [...new Map([...is!, ...was!])].map(([key, { host, credential = null }]) => {
    const [from, to] = [was!.get(key), is!.get(key)].map(one => (one === undefined ? null : limitsText(one)))
    const action = from === to ? 'unchanged' : from === null ? 'created' : to === null ? 'deleted' : 'changed'
    return { action, host, credential, from: from!, to: to! }
  })
}

/** The parts of a deployment that are compared. */
export interface Content {
  kind: string
  protocol: string
  url: string | null
  bundle_hash: string | null
  declaration: AgentDeclaration
  /** As stored with a deployment, apart from its declaration. */
  default_checks: readonly DeclaredCheck[] | null
  env: Record<string, string>
}

/** The checks that are made of a deployment's answers. */
export const checksOf = ({
  declaration,
  default_checks,
}: Pick<Content, 'declaration' | 'default_checks'>) => [
  ...(declaration.checks ?? default_checks ?? []),
  ...(declaration.language ? ['wrong_language' as const] : []),
]

/** Names what differs: `code`, `url`, `env`, and fields of the declaration. */
export function contentChanges(before: Content, after: Content): string[] {
  const differs = (one: unknown, other: unknown) => canonicalJson(one) !== canonicalJson(other)
  const where = [before, after].map(({ kind, protocol, url }) => ({ kind, protocol, url }))
  const [was, is] = [before, after].map(
    content => ({ ...content.declaration, checks: checksOf(content) }) as Record<string, unknown>,
  )
  const fields = [...new Set([...Object.keys(was!), ...Object.keys(is!)])].sort()
  return [
    ...(before.bundle_hash === after.bundle_hash ? [] : ['code']),
    ...(differs(where[0], where[1]) ? ['url'] : []),
    ...(differs(before.env, after.env) ? ['env'] : []),
    ...fields.filter(field => differs(was![field], is![field])),
  ]
}
