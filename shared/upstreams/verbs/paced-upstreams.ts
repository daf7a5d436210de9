// The upstreams that the deployments of a process need. Guarantee: whatever hosts and models an agent makes up, few of them are
// kept for it, and few in all; an upstream is one object, whichever deployment calls it.

import { LIMITS } from '../../kernel/limits.ts'
import { type UpstreamName, upstreamId } from '../rules/upstream.ts'
import { isMadeUp, type Paced, startPaced } from './paced.ts'

type Named = UpstreamName & { label: string | null }

export class PacedUpstreams {
  readonly #all = new Map<string, Paced>()
  readonly #byDeployment = new Map<string, Set<Paced>>()

  /** Those that a deployment needs. */
  of = (deployment_id: string): Iterable<Paced> => this.#byDeployment.get(deployment_id) ?? []

  all = (): Iterable<Paced> => this.#all.values()

  byId = (id: string): Paced | undefined => this.#all.get(id)

  /** What a deployment declares that counts for an upstream. */
  declaredFor({ host, label }: Named, deployment_id: string): Paced[] {
    const counts = ({ row }: Paced) =>
      Boolean(row.agent_id) && row.host === host && (row.label === null || row.label === label)
    return [...this.of(deployment_id)].filter(counts)
  }

  /**
   * The upstream that a deployment calls or will call; undefined if it calls more than it may.
   * @param items of the deployment that are in flight: they began before it was known that they need it
   */
  need(name: Named, deployment_id: string, items: number): Paced | undefined {
    const id = upstreamId(name)
    const own = this.#byDeployment.get(deployment_id) ?? new Set()
    const known = this.#all.get(id) ?? startPaced({ ...name, id })
    if (
      isMadeUp(known) &&
      !own.has(known) &&
      [...own].filter(isMadeUp).length >= LIMITS.upstreams_per_deployment
    )
      return undefined
    this.#all.delete(id)
    this.#all.set(id, known)
    if (this.#all.size > LIMITS.upstreams_paced) this.#forget(this.#all.values().next().value!)
    if (known.deployments.has(deployment_id)) return known
    known.deployments.add(deployment_id)
    known.started += items
    if (known.deployments.size > LIMITS.upstream_deployments)
      this.#leave(known, known.deployments.values().next().value!)
    this.#byDeployment.set(deployment_id, own.add(known))
    return known
  }

  #forget(one: Paced): void {
    this.#all.delete(one.row.id)
    for (const deployment_id of one.deployments) this.#leave(one, deployment_id)
  }

  #leave(one: Paced, deployment_id: string): void {
    one.deployments.delete(deployment_id)
    const own = this.#byDeployment.get(deployment_id)
    own?.delete(one)
    if (own?.size === 0) this.#byDeployment.delete(deployment_id)
  }
}
