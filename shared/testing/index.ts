// What the test of an agent imports as `assay/testing`; works in node:test, Vitest and any other runner on Node.

import { registerDecorators } from './decorators.ts'
import { interceptFetch } from './network.ts'

export { agents } from './decorators.ts'
export { type Model, ModelError } from './model.ts'
export { type RecordedOptions, recorded } from './recorded.ts'
export { type RunGeneratorOptions, runGenerator } from './run-generator.ts'
export { type ItemCost, type ItemResult, type ItemStep, type RunItemOptions, runItem } from './run-item.ts'
export { type ScriptedAnswer, type ScriptedModel, type ScriptedRequest, scripted } from './scripted.ts'

// A client takes fetch as it finds it when it is made, which may be when the agent's file is loaded.
interceptFetch()
registerDecorators()
