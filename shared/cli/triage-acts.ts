// The acts on items in triage, each described before it is done. Guarantee: an act changes only the items it named, or,
// for a whole group, the items that match the filter of its dry run; one that can be taken back says how.

import { LIMITS } from '../kernel/limits.ts'
import { ACTED, sayExcluded } from '../recovery/rules/recovery.ts'
import type { RowAction, TriageAction } from '../triage/vocabulary.ts'
import { saidInTriage } from '../view/verdict.ts'
import { type Api, answered, asFailure } from './api.ts'
import { count, money, plural } from './format.ts'
import type { Group, Row } from './triage-view.ts'

export interface Act {
  /** What the act will do, in words. */
  words: string
  /** Does it; returns the result in words, and the items for which it can be taken back. */
  perform(): Promise<{ note: string; undo: Row[] }>
}

/** The items to act on: one by one, or a whole group as one recovery. */
export interface Target {
  rows: Row[]
  group?: Group
}

export async function replayAct(api: Api, { rows, group }: Target, filters: object): Promise<Act | string> {
  const isHeld = rows[0]?.kind === 'quarantine'
  if (group?.filter !== undefined && (isHeld ? isPart(group) : rows.length > 1))
    return recoverAct(api, isHeld ? 'resume' : 'replay', { ...filters, ...group.filter })
  const able = rows.filter(row =>
    row.available_actions.some(action => action === 'replay' || action === 'resume'),
  )
  if (able.length === 0) return 'none of these can be replayed or resumed'
  const held = able.filter(row => row.kind === 'quarantine').length
  const parts = [
    able.length > held && `replay ${plural(able.length - held, 'item')}, each in a run of its own`,
    held > 0 && `let ${plural(held, 'held item')} go on`,
  ]
  const cost = able.reduce((sum, row) => sum + row.cost_usd, 0)
  return {
    words: `${parts.filter(Boolean).join(' and ')}; what was at fault is asked again (at most about ${money(cost)})`,
    perform: async () => {
      const { words } = await each(able, (itemId, { kind }) =>
        kind === 'quarantine'
          ? api.POST('/v1/durable/runs/{itemId}/resume', { params: { path: { itemId } }, body: {} })
          : api.POST('/v1/durable/runs/{itemId}/replay', { params: { path: { itemId } }, body: {} }),
      )
      return { note: `started: ${words}`, undo: [] }
    },
  }
}

const DOING: Record<TriageAction, string> = {
  replay: 'replaying',
  resume: 'resuming',
  acknowledge: 'acknowledging',
  dismiss: 'dismissing',
  wrong: 'calling wrong',
}

/** Whether the group has items that were not read. */
const isPart = ({ count, rows }: Group) => count > rows.length

async function recoverAct(api: Api, action: TriageAction, filter: object): Promise<Act | string> {
  const plan = await answered(api.POST('/v1/recoveries', { body: { action, filter, dry_run: true } }))
  if (!('ineligible' in plan)) throw new Error('a dry run made a recovery')
  const left = plan.ineligible.reduce((sum, one) => sum + one.count, 0)
  const excluded = sayExcluded(plan)
  if (plan.eligible === 0) return `none of these can be ${ACTED[action]}${excluded && `: ${excluded}`}`
  const of =
    left === 0 ? plural(plan.eligible, 'item') : `${count(plan.eligible)} of ${count(plan.eligible + left)}`
  const cost = plan.max_cost_usd === null ? '' : ` for about ${money(plan.max_cost_usd)} at most`
  return {
    words: `${action} ${of} as one recovery${cost}${excluded && `; ${excluded}`}`,
    perform: async () => {
      const made = await answered(api.POST('/v1/recoveries', { body: { action, filter: plan.filter } }))
      const id = 'id' in made ? made.id : ''
      return { note: `recovery ${id} is ${DOING[action]}: assay recoveries ${id} --watch`, undo: [] }
    },
  }
}

type Decision = Exclude<RowAction, 'replay' | 'resume'>

const WORDS: Record<Decision, (items: string) => string> = {
  acknowledge: items => `take ${items} out of this list, undecided`,
  dismiss: items => `dismiss ${items}: nothing more is done`,
  wrong: items => `call what is said of ${items} wrong; what was recorded stays`,
  confirm: items => `confirm that ${items} did not work; what was recorded stays`,
}

export async function decideAct(
  api: Api,
  { rows, group }: Target,
  action: Decision,
  filters: object,
): Promise<Act | string> {
  if (group?.filter !== undefined && isPart(group) && action !== 'confirm')
    return recoverAct(api, action, { ...filters, ...group.filter })
  const able = rows.filter(row => row.available_actions.includes(action))
  if (able.length === 0) return `none of these can be ${ACTED[action]}`
  const held = able.some(row => row.kind === 'quarantine')
  const what = WORDS[action](plural(able.length, 'item'))
  const back =
    held && action === 'dismiss'
      ? 'held ones end as cancelled, for good'
      : `u takes it back within ${LIMITS.reopen_minutes} minutes`
  return {
    words: `${what}; ${back}`,
    perform: async () => {
      const done = await each(able, (itemId, row) => {
        const params = { path: { itemId } }
        return action === 'wrong'
          ? api.POST('/v1/durable/runs/{itemId}/wrong', { params, body: { of: saidInTriage(row) } })
          : api.POST(`/v1/durable/runs/{itemId}/${action}`, { params })
      })
      const undo = done.rows.filter(row => row.kind !== 'quarantine' || action === 'acknowledge')
      return { note: `${ACTED[action]}: ${done.words}`, undo }
    },
  }
}

export async function takeBack(api: Api, rows: readonly Row[]): Promise<string> {
  const done = await each(rows, itemId =>
    api.POST('/v1/durable/runs/{itemId}/reopen', { params: { path: { itemId } } }),
  )
  return `taken back: ${done.words}`
}

/** Sends one request per row, one after the other; a refused one is reported and does not stop the others. */
async function each(rows: readonly Row[], send: (itemId: string, row: Row) => Promise<unknown>) {
  const done: Row[] = []
  let refused: string | undefined
  for (const row of rows) {
    try {
      await send(row.record_id, row)
      done.push(row)
    } catch (error) {
      const failure = asFailure(error)
      if (failure === undefined || failure.code === 'unreachable') throw error
      refused ??= failure.message
    }
  }
  const words = plural(done.length, 'item')
  return {
    rows: done,
    words: refused === undefined ? words : `${words}; ${count(rows.length - done.length)} not: ${refused}`,
  }
}
