// Reads the filters that choose items in triage.

import { findAgent } from './api.ts'
import type { Given } from './arguments.ts'
import type { Session } from './session.ts'

/** The filters of triage and of a recovery, by the names of the API. */
export async function filtersOf({ api }: Session, given: Given) {
  const agent = given.text('agent')
  const [run_id, cause_id, cluster_key, reason, partition_key] = [
    'run',
    'cause',
    'cluster',
    'reason',
    'partition',
  ].map(name => given.text(name))
  return {
    ...(run_id !== undefined && { run_id }),
    ...(agent !== undefined && { agent_id: (await findAgent(api, agent)).id }),
    ...(cause_id !== undefined && { cause_id }),
    ...(cluster_key !== undefined && { cluster_key }),
    ...(reason !== undefined && { reason }),
    ...(partition_key !== undefined && { partition_key }),
  }
}
