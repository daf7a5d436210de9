// Finds the numbers of the versions of code that answers name. Guarantee: a name has the same number from any number of
// consumers; a deployment has a bounded number of them, and names beyond it share one.

import { addCodeVersions, type DeploymentKey, listCodeVersions } from '../../agents/queries/code-versions.ts'
import { OTHER_VERSION } from '../../agents/rules/code-version.ts'
import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'

/** Remembers what one consumer has met: a name that is known takes no round trip. */
export class VersionNamer {
  readonly #ctx: Context
  /** By deployment, the most recently used last. */
  readonly #known = new Map<string, ReadonlyMap<string, number>>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Returns the number of each name. */
  async name(of: DeploymentKey, names: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    let known = this.#known.get(of.deployment_id) ?? NONE
    for (let tries = 0; tries < LIMITS.code_version_tries; tries++) {
      const missing = [...names].filter(name => !known.has(name))
      if (missing.length === 0 || known.size >= LIMITS.code_versions) break
      // Others may have added them: only what is missing from all that there are is added.
      if (tries > 0) await addCodeVersions(this.#ctx.db, of, missing.slice(0, LIMITS.code_versions))
      known = new Map((await listCodeVersions(this.#ctx.db, of)).map(({ no, name }) => [name, no]))
    }
    this.#remember(of.deployment_id, known)
    return new Map([...names].map(name => [name, known.get(name) ?? OTHER_VERSION]))
  }

  #remember(deployment_id: string, known: ReadonlyMap<string, number>): void {
    this.#known.delete(deployment_id)
    this.#known.set(deployment_id, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > LIMITS.code_version_deployments) this.#known.delete(oldest!)
  }
}

const NONE: ReadonlyMap<string, number> = new Map()
