// zod for shapes of the interface: `.openapi()` names a shape and describes it in the document. Running functions
// document nothing, so bundles use undocumented-zod.ts in place of the library.

import '@hono/zod-openapi'

export * from 'zod'
