// In bundles, what stands for the library that documents shapes: a shape that is named stays the shape it is.

import { ZodType } from 'zod'

ZodType.prototype.openapi = function () {
  return this
}
