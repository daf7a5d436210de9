// The error of a file that cannot be deployed.

export type BundleErrorCode =
  | 'bundle_failed'
  | 'no_default_export'
  | 'DecoratorTargetError'
  | 'DecoratorValidationError'
  | 'load_failed'
  | 'load_timeout'
  | 'bundle_too_large'

/** Why a file cannot be deployed; the message names the place in the code and what to do. */
export class BundleError extends Error {
  readonly code: BundleErrorCode
  constructor(code: BundleErrorCode, message: string) {
    super(message)
    this.name = 'BundleError'
    this.code = code
  }
}
