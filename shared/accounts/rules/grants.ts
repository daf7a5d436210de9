// What each operation leaves that outlasts its caller: lets somebody in, works, or sends data out. Guarantee: every
// operation that writes, and every read that is logged, is in one of the two tables (test/structure/grants.test.ts).

import type { MadeKind } from '../vocabulary.ts'

/** Operations that end keys, sessions or members, or change what these may do: in an account one at a time. */
export const REVOKES: readonly string[] = [
  'changePassword',
  'deleteAccount',
  'deleteCurrentSession',
  'deleteMember',
  'revokeApiKey',
  'revokeSession',
  'updateMember',
]

/** Operations that leave something; what is shown of it, and under which condition, is in `queries/made.ts`. */
export const GRANTS: Readonly<Record<string, readonly MadeKind[]>> = {
  createApiKey: ['key'],
  createTrigger: ['trigger'],
  updateTrigger: ['trigger'],
  getSigningSecret: ['signing_secret'],
  rollSigningSecret: ['signing_secret'],
  createMember: ['member'],
  updateMember: ['member'],
  createPasswordLink: ['member'],
  createDeployment: ['deployment', 'trigger', 'schedule'],
  promoteDeployment: ['deployment', 'trigger', 'schedule'],
  createSchedule: ['schedule'],
  updateSchedule: ['schedule'],
  createAlertChannel: ['alert_channel'],
  updateAgent: ['agent'],
  startRun: ['run'],
  startOneOffRun: ['run'],
  submitBatch: ['run'],
  triggerSchedule: ['run'],
  createRecovery: ['recovery', 'run'],
  replayItem: ['run'],
}

/** Whether an operation makes what a revocation can take with it. */
export const makesRevocable = (operation_id: string): boolean =>
  GRANTS[operation_id]?.some(kind => kind === 'key' || kind === 'trigger') ?? false

/**
 * What these make acts by itself: what it made counts as made by its maker. A member for whom a link was made acts so since
 * the link was used.
 */
export const ACTORS: readonly string[] = ['createApiKey', 'createMember', 'createPasswordLink']

/** Why an operation leaves nothing of the kind. */
export const LEAVES_NOTHING = {
  takes_away: 'only ends or removes',
  setting: 'changes how the work of others goes: lets nobody in and sends nothing out',
  decision: 'decides about items that others sent',
  once: 'acts once, at once',
  own: 'ends with its member, or is of their own session alone',
  not_a_member: 'takes another credential than a key or session',
} as const

export const NO_GRANTS: Readonly<Record<string, keyof typeof LEAVES_NOTHING>> = {
  deleteAccount: 'takes_away',
  deleteAgent: 'takes_away',
  deleteAlertChannel: 'takes_away',
  deleteDeadline: 'takes_away',
  deleteMember: 'takes_away',
  deletePrice: 'takes_away',
  deleteProject: 'takes_away',
  deleteSavedView: 'takes_away',
  deleteSchedule: 'takes_away',
  deleteTrigger: 'takes_away',
  revokeApiKey: 'takes_away',
  revokeSession: 'takes_away',
  deleteCurrentSession: 'takes_away',
  cancelRun: 'takes_away',
  abortRecovery: 'takes_away',
  disableSchedule: 'takes_away',
  unsetUpstreamLimits: 'takes_away',
  createAgent: 'setting',
  createPrice: 'setting',
  createProject: 'setting',
  enableSchedule: 'setting',
  saveView: 'setting',
  setDeadline: 'setting',
  setUpstreamLimits: 'setting',
  updateAlertRule: 'setting',
  updateProject: 'setting',
  updateRun: 'setting',
  acknowledgeItem: 'decision',
  callItemWrong: 'decision',
  confirmItem: 'decision',
  dismissItem: 'decision',
  reopenItem: 'decision',
  resumeItem: 'decision',
  retryUpstream: 'decision',
  exportItemRecords: 'once',
  exportResults: 'once',
  previewSource: 'once',
  resendDelivery: 'once',
  testAlertChannel: 'once',
  changePassword: 'own',
  createSession: 'own',
  refreshSession: 'own',
  usePasswordLink: 'own',
  answerItems: 'not_a_member',
  createAccount: 'not_a_member',
  fireTrigger: 'not_a_member',
  resumeAccount: 'not_a_member',
  setAccountPlan: 'not_a_member',
  setAccountQuotas: 'not_a_member',
  suspendAccount: 'not_a_member',
}
