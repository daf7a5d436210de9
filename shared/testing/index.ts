// The public API of `assay/testing`, for tests of agents; works in node:test, Vitest and any other runner on Node.

import { registerDecorators } from './decorators.ts'
import { interceptFetch } from './network.ts'

export { agents } from './decorators.ts'
export { type Model, ModelError } from './model.ts'
export { type RecordedOptions, recorded } from './recorded.ts'
export { type RunGeneratorOptions, runGenerator } from './run-generator.ts'
export { type ItemCost, type ItemResult, type ItemStep, type RunItemOptions, runItem } from './run-item.ts'
export { type ScriptedAnswer, type ScriptedModel, type ScriptedRequest, scripted } from './scripted.ts'

// At import, because a client keeps the fetch it finds when it is created, which may be while the agent's file loads.
interceptFetch()
registerDecorators()
