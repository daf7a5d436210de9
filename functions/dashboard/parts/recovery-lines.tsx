// Recoveries that are going on, or stopped with items left to decide, a line each.

import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { isOver, sayStanding } from '../../../shared/view/recovery.ts'
import { ofRecovery } from '../shell/addresses.ts'
import { When } from './text.tsx'

type Recovery = Schemas['Recovery']

/** Of the newest. */
const LOOKED_AT = 20

/** Those that somebody should know of, the newest first; of one run where it is named. */
export async function standingRecoveries(
  api: Client,
  project_id: string,
  run_id?: string,
): Promise<Recovery[]> {
  const { data = [] } = await api.GET('/v1/recoveries', {
    params: { query: { project_id, limit: LOOKED_AT } },
  })
  return data.filter(
    one =>
      (run_id === undefined || one.filter.run_id === run_id) &&
      (!isOver(one) || (one.status === 'stopped' && one.left > 0)),
  )
}

export const RecoveryLine = ({ recovery, now }: { recovery: Recovery; now: number }) => (
  <>
    <a href={ofRecovery(recovery.id)}>Recovery{recovery.name === null ? '' : ` ${recovery.name}`}</a>:{' '}
    {sayStanding(recovery)} <When at={recovery.created_at} now={now} />
  </>
)
