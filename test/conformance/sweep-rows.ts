// What the sweep of tenants has to know about each operation beyond the OpenAPI document. An operation without a
// row fails the sweep: whoever adds one says here what of another tenant its body and its query could name.

import type { Tenant } from './sweep-tenants.ts'

export interface Row {
  /** Only a signed-in member may: a project key is refused. */
  session?: true
  /** Only whoever operates the installation may. */
  operator?: true
  /** A body that the operation takes. */
  body?: (of: Tenant) => Record<string, unknown>
  /** A query that it needs. */
  query?: (of: Tenant) => Record<string, string>
  /** Parameters that take the place of `query`; a suite of their own asks for others' things by them. */
  instead?: readonly string[]
  /** Fields of the body that name something of a tenant. */
  names?: readonly string[]
  /** What its own tenant gets, where that is not the lowest success of the document. */
  own?: number
  /** Asked last, since it takes something away. */
  destroys?: true
}

const declaration = { name: 'swept' }

export const ROWS: Record<string, Row> = {
  getHealth: {},
  getReadiness: {},
  listProjects: {},
  createProject: { session: true, body: () => ({ name: 'made' }) },
  getProject: {},
  updateProject: { session: true, body: () => ({ concurrency: 10 }) },
  deleteProject: { session: true, query: of => ({ confirm: of.project_name }), destroys: true },
  getActivity: {},
  getModelUsage: {},
  getQueue: {},
  listPrices: {},
  checkPrices: {},
  createPrice: { body: () => ({ model: 'm', input_per_mtok: 1, output_per_mtok: 2 }) },
  deletePrice: { destroys: true },
  listApiKeys: {},
  createApiKey: { body: () => ({ name: 'made' }) },
  revokeApiKey: { destroys: true },
  getSigningSecret: { session: true },
  rollSigningSecret: { session: true },
  listAlertRules: {},
  updateAlertRule: {
    body: of => ({ rule: 'run_not_ok', agent_id: of.agent_id, enabled: true }),
    names: ['agent_id'],
  },
  listAlertChannels: {},
  createAlertChannel: { body: () => ({ url: 'https://example.org/alerts' }) },
  testAlertChannel: {},
  deleteAlertChannel: { destroys: true },
  listDeadlines: {},
  setDeadline: {
    body: of => ({ schedule_id: of.schedule_id, finished_by: '06:30' }),
    names: ['schedule_id'],
  },
  deleteDeadline: { destroys: true },
  listSavedViews: { session: true },
  saveView: { session: true, body: () => ({ list: 'runs', name: 'swept', query: 'state=open' }) },
  deleteSavedView: { session: true, destroys: true },
  listAgents: {},
  createAgent: {
    body: of => ({ name: 'made', slug: `made-${++made}`, project_id: of.project_id }),
    names: ['project_id'],
  },
  getAgent: {},
  updateAgent: { body: () => ({ name: 'changed' }) },
  deleteAgent: { destroys: true },
  listDeployments: {},
  createDeployment: { body: () => ({ kind: 'url', url: 'http://127.0.0.1:9/', declaration }) },
  promoteDeployment: {},
  startRun: { body: () => ({ input: 1 }) },
  startOneOffRun: {
    body: of => ({ agent_id: of.agent_id, project_id: of.project_id, input: 1 }),
    names: ['agent_id', 'project_id'],
  },
  submitBatch: { body: of => ({ agent_id: of.agent_id, items: [{ input: 1 }] }), names: ['agent_id'] },
  listRuns: {},
  getRun: {},
  listRunItems: {},
  getRunFailures: {},
  compareRuns: { query: of => ({ with: of.run_id }) },
  gradeRun: { instead: ['agent'] },
  updateRun: { body: () => ({ tags: ['changed'] }) },
  cancelRun: { destroys: true },
  verifyRun: {},
  followRun: {},
  exportItemRecords: {},
  exportResults: { query: of => ({ run_id: of.run_id }), instead: ['agent', 'project_id', 'since'] },
  getItemRecord: {},
  listClusters: {},
  getLineage: {},
  whyItem: {},
  acknowledgeItem: {},
  replayItem: { destroys: true },
  dismissItem: { own: 409, destroys: true },
  callItemWrong: { own: 409, destroys: true },
  confirmItem: { own: 409 },
  reopenItem: {},
  resumeItem: { own: 409 },
  listTriage: {},
  listVerdicts: {},
  listCauses: {},
  getCause: {},
  createRecovery: {
    body: of => ({ project_id: of.project_id, filter: { run_id: of.run_id }, dry_run: true }),
    names: ['project_id'],
  },
  listRecoveries: {},
  getRecovery: {},
  abortRecovery: { destroys: true },
  listSchedules: {},
  createSchedule: {
    body: of => ({ agent_id: of.agent_id, cron: `${made++ % 60} * * * *` }),
    names: ['agent_id'],
  },
  previewSchedule: { query: () => ({ cron: '0 9 * * *' }) },
  previewSource: {
    body: of => ({ agent_id: of.agent_id, source: { url: 'http://127.0.0.1:1/none', format: 'ndjson' } }),
    names: ['agent_id'],
    own: 400,
  },
  getSchedule: {},
  updateSchedule: { body: () => ({ budget_cents: 1 }) },
  enableSchedule: {},
  disableSchedule: {},
  listScheduleEvents: {},
  triggerSchedule: {},
  deleteSchedule: { destroys: true },
  listSteps: {},
  listDeliveries: {},
  getDelivery: {},
  resendDelivery: {},
  listAlerts: {},
  countStepErrors: {},
  listTriggers: {},
  createTrigger: { body: of => ({ agent_id: of.agent_id, name: `made-${++made}` }), names: ['agent_id'] },
  getTrigger: {},
  updateTrigger: { body: () => ({ secret_env: 'CHANGED' }) },
  deleteTrigger: { destroys: true },
  fireTrigger: {},
  answerItems: {},
  createSession: {},
  refreshSession: {},
  deleteCurrentSession: { session: true, destroys: true },
  listSessions: { session: true },
  revokeSession: { session: true, destroys: true },
  getAccount: { session: true },
  listQuotas: {},
  changePassword: {
    session: true,
    body: () => ({ current_password: 'wrong', new_password: 'a password of some length' }),
    own: 401,
  },
  deleteAccount: { session: true, body: () => ({ account_name: 'wrong', password: 'wrong' }), own: 400 },
  listMembers: { session: true },
  createMember: {
    session: true,
    body: () => ({
      email: `made-${++made}@example.org`,
      role: 'viewer',
      password: 'a password of some length',
    }),
  },
  updateMember: { session: true, body: () => ({ role: 'operator' }) },
  deleteMember: { session: true, destroys: true },
  listAuditEntries: {},
  listAccounts: { operator: true },
  createAccount: { operator: true, body: () => ({ name: 'made', email: `opened-${++made}@example.org` }) },
  listAccountQuotas: { operator: true },
  setAccountQuotas: { operator: true, body: () => ({ open_runs: null }) },
  setAccountPlan: { operator: true, body: () => ({ open_runs_limit: null }) },
  suspendAccount: { operator: true },
  resumeAccount: { operator: true },
}

let made = 0

/** What of a tenant a parameter of a query can name; null names nothing of anybody. */
export const FILTERS: Record<string, ((of: Tenant) => string) | null> = {
  project_id: of => of.project_id,
  run_id: of => of.run_id,
  with: of => of.run_id,
  replay_of: of => of.run_id,
  record_id: of => of.record_id,
  agent_id: of => of.agent_id,
  actor_id: of => of.key_id,
  agent: of => of.slug,
  item_id: of => of.item_id,
  tag: null,
  activity: null,
  payloads: null,
  item_id_prefix: of => of.item_id,
  partition_key: of => of.partition_key,
  q: of => of.word,
  cursor: null,
  limit: null,
  after: null, // a place in the run that the path names
  order: null,
  count: null,
  action: null,
  status: null,
  state: null,
  outcome: null,
  outcome_status: null,
  outcome_reason: null,
  worst_outcome_status: null,
  external_id: null,
  days: null,
  min_cost_usd: null,
  from: null,
  to: null,
  sort: null,
  kind: null,
  refusals: null,
  checks: null,
  since: null,
  only: null,
  fields: null,
  format: null,
  raw: null,
  reason: null,
  waiting: null,
  cluster_key: null,
  cause_id: of => of.cause_id,
  rule: null,
  confirm: null,
  cron: null,
  timezone: null,
}
/** Parameters that name one thing, so that another tenant's is refused and not just not found. */
export const NAMING = ['project_id', 'run_id', 'with', 'replay_of', 'record_id', 'agent_id']

/** What a path's parameter is of a tenant, and whether it is looked up under the one before it. */
export const PATH: Record<string, { value: (of: Tenant) => string; nested?: true }> = {
  projectId: { value: of => of.project_id },
  agentId: { value: of => of.agent_id },
  runId: { value: of => of.run_id },
  itemId: { value: of => of.record_id },
  causeId: { value: of => of.cause_id },
  recoveryId: { value: of => of.recovery_id },
  scheduleId: { value: of => of.schedule_id },
  triggerId: { value: of => of.trigger_id },
  webhookId: { value: of => of.webhook_id },
  keyId: { value: of => of.spare_key_id, nested: true },
  deliveryId: { value: of => of.delivery_id },
  channelId: { value: of => of.channel_id, nested: true },
  deadlineId: { value: of => of.deadline_id, nested: true },
  viewId: { value: of => of.view_id, nested: true },
  priceId: { value: of => of.price_id, nested: true },
  deploymentId: { value: of => of.deployment_id, nested: true },
  accountId: { value: of => of.account_id },
  memberId: { value: of => of.spare_member_id },
  sessionId: { value: of => of.spare_session_id },
}
