// Loads a bundle once at its deploy. Guarantee: what cannot load is refused before anything is written, with the place in
// its code and the way out; where nobody could load it, the deploy warns of that.

import type { Warning } from '../../claims/rules/consumer-time.ts'
import type { Context } from '../../context.ts'
import { errorText } from '../../kernel/error-text.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type BundleLoad, type BundleToLoad, LoadsBusy } from '../rules/bundle-load.ts'

/** @throws ApiError `load_failed`, `load_timeout`, and `rate_limited` while too many others are loaded */
export async function loadBundle(ctx: Context, bundle: BundleToLoad): Promise<Warning[]> {
  if (ctx.loadBundle === null) return [NOT_LOADED]
  let load: BundleLoad
  try {
    load = await ctx.loadBundle(bundle)
  } catch (error) {
    if (error instanceof LoadsBusy)
      throw new ApiError(
        'rate_limited',
        'Other bundles of this account are being loaded.',
        'Deploy again in a moment.',
        Math.ceil(LIMITS.bundle_load_ms / 1000),
      )
    ctx.log('warn', 'bundle_not_loaded', { error: errorText(error) })
    return [NOT_LOADED]
  }
  if (load.loaded) return []
  throw new ApiError(load.code, `The bundle cannot be loaded in the sandbox: ${load.message}`, load.hint)
}

const NOT_LOADED: Warning = {
  code: 'bundle_not_loaded',
  message: 'This server has no runtime at hand that could load the bundle, so nobody has seen it load.',
  hint: 'Run an item and look at it before you submit more.',
}
