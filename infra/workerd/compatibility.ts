// The compatibility date and flags of Assay's own workers, in every configuration and test that runs them.

/**
 * The release of the oldest workerd that is tested (test/workerds): a workerd refuses dates after its own release.
 * Agents' processes, which run in the workerd of package.json alone, have a later one: infra/runtime/workerd-config.ts.
 */
export const COMPATIBILITY_DATE = '2025-11-28'
/** None that is the default by that date: workerd refuses to start on one. */
export const COMPATIBILITY_FLAGS = ['nodejs_compat'] // the clients of PostgreSQL and Redis open sockets by node:net
