// How a deploy loads a bundle once before items run on it, by a function that the host supplies.

export interface BundleToLoad {
  /** The account whose share of such loads it takes. */
  account_id: string
  /** The agent's name, for messages. */
  name: string
  code: string
  env: Record<string, string>
}

/** How a bundle loaded; `declaration` is what its agent says of itself, where it is made with the SDK. */
export type BundleLoad =
  | { loaded: true; declaration?: unknown }
  | {
      loaded: false
      code: 'load_failed' | 'load_timeout'
      /** What went wrong. A place in the code reads `agent.mjs:LINE:COLUMN`, both from 1. */
      message: string
      /** The way out; absent if it is the code's own error. */
      hint?: string
      /** All places in the code that the error passed, innermost first. */
      places: { line: number; column: number }[]
      /** The error's own name, such as `TypeError`. */
      error?: string
    }

/**
 * Loads a bundle as the processes that run its items do, without a network. Rejects with `LoadsBusy` when too many others
 * are loaded, and with any other error when nothing could be tried.
 */
export type LoadBundle = (bundle: BundleToLoad) => Promise<BundleLoad>

/** Too many bundles are being loaded. */
export class LoadsBusy extends Error {}
