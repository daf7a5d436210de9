// What the fuzz has to know about an operation beyond the OpenAPI document, so that it succeeds now and then. An
// operation that needs nothing has no row. The fuzz fails for one that never succeeded, and names it: add its row.
//
// A value "@kind:nth@" stands for the nth known thing of a kind when the request is sent. Things are learned from
// answers: what `/v1/agents` answers are agents, because the document has `/v1/agents/{agentId}`; a `run_id` names a
// run; and a token or a secret is a thing of its field's name. See learnFrom in fuzz.slow.test.ts.

import { PASSWORD } from './account-of-own.ts'

export interface Hint {
  /** How often it is called; 20 by default. */
  weight?: number
  /** Fields that its JSON body usually has; undefined removes one. */
  body?: (nth: number) => Record<string, unknown>
  /** Parameters of its query: texts, or things of a kind. */
  query?: Record<string, string | { thing: string }>
  /**
   * Kinds of things that fill its path, instead of those of the parameters: `dlq` and `quarantine` are rows of triage,
   * `question` is a row that triage asks about.
   */
  params?: Record<string, string>
  /** A kind of thing to use as its token, instead of the key or session that the others are sent with. */
  token?: string
}

/** The name of projects that may be deleted. */
export const SPARE_PROJECT = 'spare'

const byId = (nth: number) => ({
  agent_id: `@agent:${nth}@`,
  agent: undefined,
  project_id: undefined,
  callback_url: undefined,
})

// Operations that hash a password are called less often, because they would take most of the time; so are those that
// remove what the others act on.
export const HINTS: Record<string, Hint> = {
  createSession: { weight: 6, body: nth => ({ email: `@email:${nth}@`, password: PASSWORD }) },
  refreshSession: { body: nth => ({ refresh_token: `@refresh_token:${nth}@` }) },
  revokeSession: { token: 'access_token' },
  deleteCurrentSession: { weight: 4, token: 'access_token' },
  changePassword: {
    weight: 8, // of 30 tries with a token of some session two or three succeed
    token: 'access_token',
    body: () => ({ current_password: PASSWORD, new_password: PASSWORD }),
  },
  createMember: { weight: 8 }, // two in fifteen tries succeed, and members are there to be deleted
  updateMember: { params: { member: 'changing' } },
  deleteAccount: {
    weight: 3,
    token: 'doomed_token',
    body: nth => ({ account_name: `@doomed:${nth}@`, password: PASSWORD }),
  },
  listAccounts: { weight: 10, token: 'operator_key' },
  listSharedCredentials: { token: 'operator_key' },
  createAccount: {
    weight: 4,
    token: 'operator_key',
    body: nth => ({ name: 'opened', email: `opened-${nth}@example.org`, open_runs_limit: undefined }),
  },
  listAccountQuotas: { weight: 10, token: 'operator_key' },
  setAccountQuotas: { weight: 10, token: 'operator_key' },
  setAccountPlan: { weight: 10, token: 'operator_key' },
  suspendAccount: { weight: 10, token: 'operator_key' },
  resumeAccount: { weight: 10, token: 'operator_key' },
  createProject: { body: () => ({ name: SPARE_PROJECT }) },
  deleteProject: { params: { project: 'spare_project' }, query: { confirm: SPARE_PROJECT } },
  createAgent: { weight: 40 },
  deleteAgent: { weight: 4 },
  createDeployment: { body: nth => ({ declaration: { name: 'fuzzed', concurrency: 1 + (nth % 9) } }) },
  // An agent is named once: by the path, or by its id.
  startRun: { weight: 60, body: () => ({ agent_id: undefined, callback_url: undefined }) },
  startOneOffRun: { weight: 60, body: byId },
  submitBatch: { weight: 60, body: byId },
  compareRuns: { query: { with: { thing: 'run' } } },
  exportResults: { query: { run_id: { thing: 'run' } } },
  createRecovery: {
    weight: 30,
    body: nth => ({
      filter: nth % 2 ? {} : { run_id: `@run:${nth}@` },
      from_step: undefined,
      deployment: undefined,
    }),
  },
  abortRecovery: { weight: 30 },
  listTriage: { weight: 40 },
  resumeItem: { weight: 30, params: { item: 'quarantine' } },
  replayItem: { params: { item: 'dlq' } },
  acknowledgeItem: { params: { item: 'dlq' } },
  dismissItem: { params: { item: 'dlq' } },
  callItemWrong: { weight: 40, params: { item: 'dlq' } },
  confirmItem: { params: { item: 'question' } },
  reopenItem: { params: { item: 'dlq' } },
  createSchedule: {
    weight: 30,
    body: nth => ({ cron: `${nth % 60} * * * *`, timezone: 'Europe/Berlin', agent_id: `@agent:${nth}@` }),
  },
  updateSchedule: { body: nth => ({ cron: `${nth % 60} 9 * * *`, timezone: 'UTC' }) },
  deleteSchedule: { weight: 4 },
  createTrigger: {
    weight: 30,
    // With the other random fields, a source and a secret are mostly refused.
    body: nth => ({ name: `t${nth}`, agent_id: `@agent:${nth}@`, source: undefined, secret_env: undefined }),
  },
  updateTrigger: {
    body: nth => ({ name: `t${nth}`, source: undefined, secret_env: undefined, signing_secret: undefined }),
  },
  deleteTrigger: { weight: 4 },
  fireTrigger: { weight: 30, params: { webhook: 'fired' }, token: 'fired_secret' },
  createAlertChannel: {
    body: nth => ({ url: `https://example.org/${nth % 100}`, format: undefined, digest: undefined }),
  },
  setDeadline: {
    body: nth => ({
      agent_id: `@agent:${nth}@`,
      schedule_id: undefined,
      finished_by: '06:30',
      timezone: 'UTC',
    }),
  },
}
