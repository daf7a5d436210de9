// The code of bundles in the agent runtime, which consumers bring along. Guarantee: what is held under a hash has that hash, and
// it is held while a request that brought it waits for its process, and no longer.

import { sha256, toHex } from '../../shared/kernel/secrets.ts'

/** The process of a bundle is to be started, and no request that waits for it has brought its code. */
export class BundleWanted extends Error {}

export class CarriedBundles {
  readonly #held = new Map<string, { code: string; requests: number }>()

  /** Holds it until the release is called. @throws Error where the code has another hash */
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
