// Replaces the documenting library in bundles: `.openapi()` returns the shape unchanged.

import { ZodType } from 'zod'

ZodType.prototype.openapi = function () {
  return this
}
