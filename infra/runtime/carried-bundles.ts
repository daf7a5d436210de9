// Holds the code of bundles in the agent runtime, which consumers send along. Guarantee: code held under a hash has
// that hash, and is held only while a request that sent it waits for its process.

import { sha256, toHex } from '../../shared/kernel/secrets.ts'

/** A bundle's process has to be started, and no waiting request has sent its code. */
export class BundleWanted extends Error {}

export class CarriedBundles {
  readonly #held = new Map<string, { code: string; requests: number }>()

  /** Holds the code until the returned function is called. @throws Error where the code has another hash */
  async hold(hash: string, code: string): Promise<() => void> {
    if (toHex(await sha256(code)) !== hash) throw new Error(`the code that was brought is not bundle ${hash}`)
    const held = this.#held.get(hash) ?? { code, requests: 0 }
    held.requests++
    this.#held.set(hash, held)
    return () => {
      if (--held.requests === 0) this.#held.delete(hash)
    }
  }

  /** @throws BundleWanted */
  async load(hash: string): Promise<string> {
    const held = this.#held.get(hash)
    if (held === undefined) throw new BundleWanted(`the code of bundle ${hash} is wanted`)
    return held.code
  }

  get size(): number {
    return this.#held.size
  }
}
