// The closed word lists of agents, shared by columns, JSON bodies, the SDK and the command line.

export const DEPLOYMENT_KINDS = ['bundle', 'url'] as const
export type DeploymentKind = (typeof DEPLOYMENT_KINDS)[number]

/** The protocol of a deployment: Assay's NDJSON, or plain JSON in and JSON out, one item per request. */
export const AGENT_PROTOCOLS = ['ndjson', 'json'] as const
export type AgentProtocol = (typeof AGENT_PROTOCOLS)[number]

/**
 * What a deploy does to a schedule or a trigger. `rotated`: a trigger under a new name, URL and secret; `kept`: one
 * that the promoted version does not declare.
 */
export const PLAN_ACTIONS = ['created', 'changed', 'rotated', 'deleted', 'kept', 'unchanged'] as const
export type PlanAction = (typeof PLAN_ACTIONS)[number]

/**
 * What a deploy warns of: something that the agent may need and this installation does not give it, or a bundle that
 * nobody has loaded where its items will run, or calls of models of which nobody will know.
 */
export const DEPLOY_WARNINGS = ['step_outlasts_consumer', 'bundle_not_loaded', 'calls_not_reported'] as const
export type DeployWarning = (typeof DEPLOY_WARNINGS)[number]
