// Says what items of a deployment need outside, and which limits count there. Guarantee: they are the limits that pacing goes
// by: what people set, what schedules at work carry in its place, and what the deployment declares, called before or not.

import type { Sql } from '../../context.ts'
import type { DeclaredLimits } from '../../pacing/rules/declared-limits.ts'
import {
  inForce,
  limitsIn,
  type NamedLimits,
  namedText,
  type SetLimit,
} from '../../pacing/rules/named-limits.ts'
import { agentAt, agentHost, limitedUpstream, upstreamId } from '../../upstreams/rules/upstream.ts'
import * as store from '../queries/estimate.ts'

/** Something that items of a deployment need. */
export interface Needed extends Omit<store.NeededRow, 'id' | 'declared' | 'now_ms'> {
  /** What people set for it, or the deployment declares. */
  limits: DeclaredLimits
  /** All model calls of an item go there, as far as is known. */
  is_only: boolean
}

export interface NeededFor {
  project_id: string
  agent_id: string
  deployment_id: string
  /** What the schedule carries whose run it is to be: it is not in force yet. */
  limits: readonly NamedLimits[] | null
  /** Other runs will have ended by then, and what their schedules carry is in force no more. */
  isAlone: boolean
}

/** By the database's clock. */
export async function readNeeded(sql: Sql, of: NeededFor): Promise<{ now_ms: number; needed: Needed[] }> {
  const { project_id, agent_id, deployment_id } = of
  const deployments = await store.listOwnDeployments(sql, of)
  const own = deployments.find(({ id }) => id === deployment_id)
  const declared = (own?.limits ?? []).map(limits => {
    const name = limitedUpstream(project_id, agent_id, limits)
    return { ...name, id: upstreamId(name), label: limits.credential ?? null }
  })
  const host = own?.url ? agentHost(own.url) : null
  const address = host === null ? null : { id: upstreamId({ project_id, ...agentAt(host) }), host }
  const ids = declared.map(({ id }) => id)
  const own_ids = deployments.map(({ id }) => id)
  const rows = await store.listNeeded(sql, { project_id, deployments: own_ids, ids, address })
  const byId = new Map(rows.map(row => [row.id, row]))
  const called = calledBy(
    rows.filter(({ id }) => id !== address?.id && !ids.includes(id)),
    deployments,
    deployment_id,
  )
  // Of an agent that calls several, nobody but they know how much each is asked.
  const is_only = called.filter(({ pacing }) => pacing !== null).length === 1
  const agent = rows.filter(({ id }) => id === address?.id)
  const at = deployments.filter(({ url }) => url !== null && agentHost(url) === host).map(({ id }) => id)
  const needed = [
    ...called.map(row => ({ ...row, limits: setFor(row, of), is_only })),
    ...agent.map(row => ({
      ...row,
      deployments: [...row.deployments, ...at],
      limits: setFor(row, of),
      is_only: false,
    })),
    ...declared.map(one => ({
      ...one,
      ...OPEN,
      limits: limitsIn(one.key),
      pacing: byId.get(one.id)?.pacing ?? null,
      deployments: declaring(deployments, one.key),
      is_only: called.length > 0 && called.every(row => isFor(one, row)),
    })),
  ]
  return { now_ms: rows[0]?.now_ms ?? 0, needed }
}

/** What is counted for a declaration alone is never closed. */
const OPEN = { state: 'open' as const, words: '', next_ms: null }

/** What the deployment calls; of one that has not called anything yet what the latest before it did. */
function calledBy(
  rows: readonly store.NeededRow[],
  deployments: readonly store.OwnDeployment[],
  deployment_id: string,
): store.NeededRow[] {
  const calledIn = (id: string) => rows.filter(row => row.deployments.includes(id))
  const own = calledIn(deployment_id)
  if (own.length > 0) return own
  const byVersion = deployments.toSorted((a, b) => b.version - a.version)
  return byVersion.map(({ id }) => calledIn(id)).find(called => called.length > 0) ?? []
}

/** Whether limits of a host, or of a credential there, count for an upstream. */
const isFor = (
  limits: { host: string; label: string | null },
  upstream: { host: string; label: string | null },
) => limits.host === upstream.host && (limits.label === null || limits.label === upstream.label)

/** What people set that will be in force. */
function setFor(row: store.NeededRow, { limits, isAlone }: NeededFor): DeclaredLimits {
  const set: Pick<SetLimit, 'of' | 'limits'>[] = row.declared.filter(one => !isAlone || one.of === 'project')
  const own = (limits ?? []).filter(({ host, credential = null }) => isFor({ host, label: credential }, row))
  return inForce([
    ...set,
    ...own.map(({ host: _, credential: __, ...parts }) => ({ of: 'schedule' as const, limits: parts })),
  ])
}

/** Deployments whose items are counted by the same limit. */
const declaring = (deployments: readonly store.OwnDeployment[], text: string): string[] =>
  deployments.filter(({ limits }) => limits?.some(one => namedText(one) === text)).map(({ id }) => id)
