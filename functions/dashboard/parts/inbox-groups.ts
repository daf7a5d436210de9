// Orders triage rows for display: rows with the same cause together, the largest group first.

import type { Schemas } from '../../../shared/sdk/client.ts'

type Row = Schemas['TriageRow']

const keyOf = ({ agent_id, kind, reason, cause_id }: Row) => cause_id ?? `${agent_id} ${kind} ${reason}`

export const groupsOf = (rows: readonly Row[]): [key: string, rows: Row[]][] =>
  [...Map.groupBy(rows, keyOf)].sort(([, a], [, b]) => b.length - a.length)
