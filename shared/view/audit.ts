// Says in a sentence what an entry of the audit log is about. Guarantee: every operation that is logged has one.

/** By operation; the entry says beside it who did it, and to what. */
export const DID: Readonly<Record<string, string>> = {
  createProject: 'Made a project',
  updateProject: 'Changed the settings of the project',
  deleteProject: 'Deleted a project',
  getSigningSecret: 'Looked at the secret that signs callbacks and alerts',
  rollSigningSecret: 'Replaced the secret that signs callbacks and alerts',
  setUpstreamLimits: 'Set limits of an upstream',
  unsetUpstreamLimits: 'Unset the limits of an upstream',
  retryUpstream: 'Had an upstream tried at once',
  createPrice: 'Set the price of a model',
  deletePrice: 'Removed the price of a model',
  createApiKey: 'Made an API key',
  revokeApiKey: 'Revoked an API key',
  updateAlertRule: 'Changed an alert rule',
  createAlertChannel: 'Added an address for alerts',
  deleteAlertChannel: 'Removed an address for alerts',
  testAlertChannel: 'Sent a test message to an address for alerts',
  setDeadline: 'Set a deadline',
  deleteDeadline: 'Removed a deadline',
  saveView: 'Saved a view of a list',
  deleteSavedView: 'Deleted a saved view',
  createAgent: 'Made an agent',
  updateAgent: 'Changed an agent',
  deleteAgent: 'Deleted an agent',
  createDeployment: 'Deployed a version of an agent',
  promoteDeployment: 'Made an older version of an agent the current one',
  startRun: 'Started a run of one item',
  startOneOffRun: "Started a run of one item by its agent's name",
  submitBatch: 'Started a run',
  answerItems: 'Answered items later',
  updateRun: 'Changed the tags of a run',
  cancelRun: 'Cancelled a run',
  exportResults: 'Downloaded the results of a run',
  exportItemRecords: 'Downloaded the records of items',
  replayItem: 'Replayed an item',
  resumeItem: 'Resumed a held item',
  acknowledgeItem: 'Acknowledged an item',
  dismissItem: 'Dismissed an item',
  callItemWrong: 'Called the verdict of an item wrong',
  confirmItem: 'Confirmed what was asked about an item',
  reopenItem: 'Took back a decision about an item',
  createRecovery: 'Decided about many items at once',
  abortRecovery: 'Aborted a recovery',
  resendDelivery: 'Had a message sent again',
  createSchedule: 'Made a schedule',
  updateSchedule: 'Changed a schedule',
  deleteSchedule: 'Deleted a schedule',
  enableSchedule: 'Enabled a schedule',
  disableSchedule: 'Disabled a schedule',
  triggerSchedule: 'Started a schedule by hand',
  createTrigger: 'Made a trigger',
  updateTrigger: 'Changed a trigger',
  deleteTrigger: 'Deleted a trigger',
  fireTrigger: 'Fired a trigger',
  createSession: 'Signed in',
  refreshSession: 'Stayed signed in',
  deleteCurrentSession: 'Signed out',
  revokeSession: 'Ended a session of their own',
  changePassword: 'Changed their password',
  usePasswordLink: 'Set a password by a link',
  deleteAccount: 'Deleted the account',
  createMember: 'Added a member',
  updateMember: 'Changed the role of a member',
  deleteMember: 'Removed a member',
  createPasswordLink: 'Made a link for a new password',
  createAccount: 'Opened an account',
  setAccountPlan: "Set the account's plan",
  setAccountQuotas: "Set the account's quotas",
  suspendAccount: 'Suspended the account',
  resumeAccount: 'Resumed the account',
}

const REFUSED = '.refused'

/** Operations of which refused attempts of strangers are logged as well (sessions/verbs/refusals.ts). */
const REFUSABLE = ['createSession', 'fireTrigger'] as const

/** What entries can be filtered by, in words. */
export const ACTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  [...Object.keys(DID), ...REFUSABLE.map(one => one + REFUSED)].map(action => [action, sayDid(action)]),
)

/** @example sayDid('createApiKey') // 'Made an API key' @example sayDid('createSession.refused') // 'Signed in: refused' */
export function sayDid(action: string): string {
  const isRefused = action.endsWith(REFUSED)
  const of = isRefused ? action.slice(0, -REFUSED.length) : action
  const words = DID[of] ?? of
  return isRefused ? `${words}: refused` : words
}
