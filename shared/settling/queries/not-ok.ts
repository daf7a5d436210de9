// Writes what a flush says of items that are not ok, and their rows in triage. Guarantee: every statement that settles
// such items writes the same. Rows of triage are written after the run is locked: their triggers change the usage of its
// project, which is locked after its runs.

import type { Sql } from '../../context.ts'
import type { Verdict } from '../../grading/rules/verdict.ts'
import { laneByVerdict, outcomeOf, putIntoTriage } from '../../items/queries/transitions.ts'
import { rowsOf } from '../../kernel/packed-columns.ts'
import type { CauseText, NamedCause } from '../../triage/rules/causes.ts'

export interface NotOk {
  seq: number
  attempt: number
  verdict: Verdict | null
  /** The head of the prompt of an item that failed, by which it is clustered. */
  prompt: string | null
  /** The cause of an item that is not ok. */
  cause: NamedCause | null
}

export const notOkRows = (sql: Sql, items: readonly NotOk[]) =>
  rowsOf(sql, items, {
    seq: ['int', item => item.seq],
    status: ['item_status', ({ verdict }) => verdict!.status],
    outcome: ['outcome', ({ verdict }) => verdict!.outcome],
    outcome_reason: ['text', ({ verdict }) => verdict!.outcome_reason],
    degraded_reason: ['text', ({ verdict }) => verdict!.degraded_reason],
    error_code: ['text', ({ verdict }) => verdict!.error_code],
    error_message: ['text', ({ verdict }) => verdict!.error_message],
    prompt: ['text', ({ prompt }) => prompt],
    cause_id: ['text', ({ cause }) => cause?.id ?? null],
  })

/** The same without a row. */
export const NO_ROWS = `
  select null::int as seq, null::item_status as status, null::outcome as outcome, null::text as outcome_reason,
    null::text as degraded_reason, null::text as error_code, null::text as error_message, null::text as prompt,
    null::text as cause_id where false`

/** Inserts the causes again, as one may be gone since it was named: it must exist when its items are counted. */
export function keepCauses(sql: Sql, items: readonly NotOk[]) {
  const causes = [
    ...new Map(items.flatMap(({ cause }) => (cause === null ? [] : [[cause.id, cause]]))).values(),
  ]
  // As arrays: a step may be an empty text, and a packed list of one empty text reads as an empty list.
  const column = (key: keyof CauseText) => sql`${causes.map(cause => cause[key])}::text[]`
  return sql`
    insert into causes (project_id, agent_id, step, error_code, reason, template)
    select c.project_id, c.agent_id, k.step, k.error_code, k.reason, k.template
    from counted c, unnest(${column('step')}, ${column('error_code')}, ${column('reason')}, ${column('template')})
      as k(step, error_code, reason, template)
    order by k.step, k.error_code, k.reason, k.template on conflict do nothing`
}

/** Puts items of `settled` into triage: those that did not work as dead letters, held ones into quarantine. */
export const insertTriage = (
  sql: Sql,
  { run_id, project_id, agent_id }: { run_id: string; project_id: string; agent_id: string },
  items: readonly NotOk[],
) =>
  putIntoTriage(
    sql,
    sql`
    select ${run_id}, s.seq, ${project_id}::uuid, ${agent_id}::uuid, ${sql.unsafe(laneByVerdict('s'))},
      coalesce(s.outcome_reason, s.error_code, 'hold'), s.error_code, s.partition_key, s.prompt, s.cause_id,
      s.item_cost_micro
    from settled s where s.ends and s.outcome is distinct from ${sql.unsafe(outcomeOf('complete'))}`,
    items.every(({ attempt }) => attempt === 1),
  )
