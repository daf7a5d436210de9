// What an agent's author imports as `assay`.

/// <reference path="./imports.d.ts" preserve="true" />

export type { AgentDeclaration, ModelAnswer } from '../protocol/rules/protocol.ts'
export { type AgentClass, agent, declarationOf } from './agent.ts'
export type { AgentOptions } from './agent-options.ts'
export { type ScheduleOptions, schedule, type TriggerOptions, trigger } from './automation.ts'
export type { Context, ItemIdentity, ModelCallOptions } from './context.ts'
export { DecoratorTargetError, DecoratorValidationError, ItemError } from './errors.ts'
export { type ItemsContext, items, type Occurrence } from './generator.ts'
export { type ServeOptions, serve } from './serve.ts'
export type { RowOptions, SourceOptions } from './source-options.ts'
