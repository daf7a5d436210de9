// What a flush says of items that did not simply work, and what comes of it in triage. Guarantee: the same in whichever
// statement settles them. Rows of triage are written before the run is locked, so that no other flush waits for them.

import type { Sql } from '../../context.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { CauseText, NamedCause } from '../../recovery/rules/causes.ts'
import { numbers, textRows } from '../../store/columns.ts'
import { laneByVerdict, outcomeOf, putIntoTriage } from './transitions.ts'

export interface NotOk {
  seq: number
  attempt: number
  verdict: Verdict | null
  /** The head of the prompt of an item that failed: its cluster hangs on it. */
  prompt: string | null
  /** Of what did not simply work. */
  cause: NamedCause | null
}

/** What items that fail together mostly have in common, and its types; their messages and prompts they have not. */
const COMMON = ['status', 'outcome', 'outcome_reason', 'degraded_reason', 'error_code', 'cause_id'] as const
const TYPES = ['item_status', 'outcome', 'text', 'text', 'text', 'text'] as const

const commonOf = ({ verdict, cause }: NotOk): (string | null)[] => [
  verdict!.status,
  verdict!.outcome,
  verdict!.outcome_reason,
  verdict!.degraded_reason,
  verdict!.error_code,
  cause?.id ?? null,
]

/** Rows of seq, error_message, prompt and what is COMMON: where all say the same of it, that is said once. */
export function notOkRows(sql: Sql, items: readonly NotOk[]) {
  const told = items.map(commonOf)
  const first = told[0]!
  const areAlike = told.every(one => one.every((fact, i) => fact === first[i]))
  const rows = (of: (item: NotOk) => string | null) => textRows(sql, items.map(of))
  const facts = COMMON.map((name, i) => {
    const fact = areAlike ? sql`${first[i]!}::text` : sql.unsafe(name)
    return sql`, ${fact}::${sql.unsafe(TYPES[i]!)} as ${sql.unsafe(name)}`
  })
  return sql`
    select seq, error_message, prompt ${facts}
    from rows from (
      unnest(${numbers(items.map(item => item.seq))}::text::int[]),
      ${rows(item => item.verdict!.error_message)},
      ${rows(item => item.prompt)}
      ${
        areAlike
          ? sql``
          : told[0]!.map(
              (_, i) =>
                sql`, ${textRows(
                  sql,
                  told.map(one => one[i]!),
                )}`,
            )
      }
    ) as t(seq, error_message, prompt ${sql.unsafe(areAlike ? '' : `, ${COMMON.join(', ')}`)})`
}

/** A cause may have been forgotten since it was named: it is there when its items are counted. */
export function keepCauses(sql: Sql, items: readonly NotOk[]) {
  const causes = [
    ...new Map(items.flatMap(({ cause }) => (cause === null ? [] : [[cause.id, cause]]))).values(),
  ]
  // As arrays: a step may be empty, and a list of one empty text is none when it is packed.
  const column = (key: keyof CauseText) => sql`${causes.map(cause => cause[key])}::text[]`
  return sql`
    insert into causes (project_id, agent_id, step, error_code, reason, template)
    select c.project_id, c.agent_id, k.step, k.error_code, k.reason, k.template
    from counted c, unnest(${column('step')}, ${column('error_code')}, ${column('reason')}, ${column('template')})
      as k(step, error_code, reason, template)
    order by k.step, k.error_code, k.reason, k.template on conflict do nothing`
}

/** Of the statement's `settled`: what did not work goes to the dead-letter lane, what is held to quarantine. */
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
