// Reads items that returned and their recorded model calls, in chunks. Guarantee: reads along primary keys, and at once
// only a bounded number of rows and bytes, whatever one item holds.

import type { Sql } from '../../context.ts'
import { recordId } from '../../items/queries/item-keys.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { hasSeq } from '../../kernel/packed-columns.ts'
import type { RecordedCall, RecordedItem } from '../rules/regrade.ts'

export interface RecordedItems {
  items: RecordedItem[]
  /** The last item that was read, whether it returned or not; null when the run has no more. */
  last_seq: number | null
}

interface Range {
  after: number
  most: number
  /** The inputs of calls are read too. */
  withInputs: boolean
}

const BYTES = 'coalesce(octet_length(s.output), 0)'
const BYTES_WITH_INPUT = `${BYTES} + coalesce(octet_length(s.input), 0)`

interface ItemRow extends Omit<RecordedItem, 'calls'> {
  seq: number
  status: string
}

/** The next items of a run behind `after`, in their order. */
export async function findRecordedItems(
  sql: Sql,
  run: RunKey,
  { after, most, withInputs }: Range,
): Promise<RecordedItems> {
  const { project_id, run_id } = run
  const bytes = sql.unsafe(withInputs ? BYTES_WITH_INPUT : BYTES)
  // PostgreSQL stores the length of a payload apart from it, so this reads only the payloads that it returns. Nothing is
  // joined by seq: PostgreSQL may expect a new run to have one item, and would compare each item with each.
  const rows = await sql<ItemRow[]>`
    with next as materialized (
      select seq, coalesce(octet_length(output), 0) as bytes from items
      where project_id = ${project_id} and run_id = ${run_id} and seq > ${after}
      order by seq limit ${Math.min(most, LIMITS.regrade_chunk_items)}
    ), sized as (
      select n.seq, n.bytes + least(${LIMITS.regrade_chunk_bytes}, c.bytes) as bytes
      from next n cross join lateral (
        select coalesce(sum(${bytes}), 0) as bytes from steps s
        where s.project_id = ${project_id} and s.run_id = ${run_id} and s.seq = n.seq and s.kind = 'llm_call') c
    ), summed as (select seq, bytes, sum(bytes) over (order by seq) as total from sized)
    select i.seq, i.status, i.item_id, ${recordId(sql, 'i')} as record_id, i.outcome, i.outcome_reason,
      case when i.status = 'completed' then i.output end as output
    from items i where i.project_id = ${project_id} and i.run_id = ${run_id} and i.seq > ${after}
      and i.seq <= (select max(seq) from summed where total <= ${LIMITS.regrade_chunk_bytes} or total = bytes)
    order by i.seq`
  const returned = rows.filter(row => row.status === 'completed')
  const seqs = returned.map(item => item.seq)
  const calls = seqs.length === 0 ? [] : await findCalls(sql, run, seqs, withInputs)
  const callsOf = Map.groupBy(calls, call => call.seq)
  return {
    items: returned.map(({ seq, status: _, ...item }) => ({ ...item, calls: callsOf.get(seq) ?? [] })),
    last_seq: rows.at(-1)?.seq ?? null,
  }
}

/** The calls that count for the verdict; calls that failed in an earlier attempt do not. */
const findCalls = (
  sql: Sql,
  { project_id, run_id }: RunKey,
  seqs: readonly number[],
  withInputs: boolean,
) => sql<(RecordedCall & { seq: number })[]>`
  select i.seq, c.key, c.outcome, c.outcome_reason, c.unread, c.told as reported, c.reused, c.error_code, c.input, c.output
  from items i cross join lateral (
    select s.step_no, s.key, s.outcome, s.outcome_reason, s.unread, s.told, s.reused, s.error_code, s.output,
      ${sql.unsafe(withInputs ? 's.input' : 'null::text as input')},
      row_number() over last_first as nth, sum(${sql.unsafe(withInputs ? BYTES_WITH_INPUT : BYTES)}) over last_first as bytes
    from steps s
    where s.project_id = ${project_id} and s.run_id = ${run_id} and s.seq = i.seq
      and s.kind = 'llm_call' and (s.error_code is null or s.attempt = i.attempt)
    window last_first as (order by s.step_no desc)
  ) as c
  where i.project_id = ${project_id} and i.run_id = ${run_id} and ${hasSeq(sql, 'i', seqs)}
    and (c.nth = 1 or (c.nth <= ${LIMITS.regrade_item_calls} and c.bytes <= ${LIMITS.regrade_chunk_bytes}))
  order by i.seq, c.step_no`
