// zod as shapes of the interface are written with: `.openapi()` names a shape and describes it in the document. Nothing
// is documented while a function runs, so bundles bring undocumented-zod.ts in the place of the library.

import '@hono/zod-openapi'

export * from 'zod'
