// Lists recoveries: a line for each that is in progress, or that stopped with items left to decide.

import { defined } from '../../../shared/kernel/defined.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { isOver, sayStanding } from '../../../shared/view/recovery.ts'
import { ofRecovery } from '../shell/addresses.ts'
import { When } from './text.tsx'

type Recovery = Schemas['Recovery']

/** How many of the newest recoveries are read. */
const LOOKED_AT = 20
const STOPPED_LOOKED_AT = 3

/** Returns the recoveries in progress, then those that stopped with items left; only those of `run_id` where given. */
export async function standingRecoveries(
  api: Client,
  project_id: string,
  run_id?: string,
): Promise<Recovery[]> {
  const { data = [] } = await api.GET('/v1/recoveries', {
    params: { query: { project_id, limit: LOOKED_AT } },
  })
  const meant = data.filter(one => run_id === undefined || one.filter.run_id === run_id)
  const stopped = meant.filter(one => one.status === 'stopped').slice(0, STOPPED_LOOKED_AT)
  const left = await Promise.all(stopped.map(one => isAnyLeft(api, one)))
  return [...meant.filter(one => !isOver(one)), ...stopped.filter((_, at) => left[at])]
}

/** Whether items that the recovery left still need a decision. */
async function isAnyLeft(api: Client, { project_id, filter }: Recovery): Promise<boolean> {
  if (filter.status !== undefined) return false
  const { from: _, to: __, status: ___, ...rest } = filter
  const query = { project_id, kind: 'dlq' as const, limit: 1, ...defined(rest) }
  return (await api.GET('/v1/triage', { params: { query } })).data!.rows.length > 0
}

export const RecoveryLine = ({ recovery, now }: { recovery: Recovery; now: number }) => (
  <>
    <a href={ofRecovery(recovery.id)}>Recovery{recovery.name === null ? '' : ` ${recovery.name}`}</a>:{' '}
    {sayStanding(recovery)}
    {recovery.created_by !== null && (
      <>
        , by <bdi>{recovery.created_by}</bdi>,
      </>
    )}{' '}
    <When at={recovery.created_at} now={now} />
  </>
)
