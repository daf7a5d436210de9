// The leases of one consumer. Guarantee: every lease with open items is extended, and a claim that PostgreSQL no longer
// knows is let go at the next heartbeat.

import { extendLeases } from '../../claims/queries/leases.ts'
import type { Claim } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { Lease } from '../../settling/verbs/in-flight-item.ts'

export class HeldLeases {
  readonly #ctx: Context
  readonly #leases = new Map<number, RunKey & { lease: Lease }>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Lets go of older leases whose items have all left: what listens to them holds these items in memory. */
  begin({ id: claim_id, run_id, project_id, items }: Claim): Lease {
    this.#dropEmpty()
    const open = items.length
    const abort = new AbortController()
    const lease: Lease = { claim_id, taken_ms: this.#ctx.now(), open, closing: false, abort }
    this.#leases.set(claim_id, { lease, run_id, project_id })
    abort.signal.addEventListener('abort', () => this.#leases.delete(claim_id))
    return lease
  }

  isOfRun = (run_id: string | undefined): boolean =>
    [...this.#leases.values()].some(held => held.run_id === run_id)

  /** Extends the leases: a heartbeat. If PostgreSQL does not answer, the next one tries again. */
  async extend(): Promise<void> {
    this.#dropEmpty()
    if (this.#leases.size === 0) return
    try {
      // Only leases in this request can be reported lost; new claims may start while it is in flight.
      const asked = [...this.#leases].map(([id, of]) => ({ id, ...of }))
      const held = await extendLeases(this.#ctx.sql, asked, LIMITS.lease_ms)
      for (const { id, lease, run_id } of asked) {
        if (held.has(id) || lease.open === 0 || lease.closing || lease.abort.signal.aborted) continue
        this.#ctx.log('warn', 'lease_lost', { run_id, claim_id: id, items: lease.open })
        lease.abort.abort()
      }
    } catch (error) {
      this.#ctx.log('warn', 'heartbeat_failed', { error: String(error) })
    }
  }

  #dropEmpty(): void {
    for (const [id, { lease }] of this.#leases) if (lease.open === 0) this.#leases.delete(id)
  }
}
