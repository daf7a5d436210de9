// Lists every function: the endpoints, in the order of the interface, and the functions that platforms call. The
// server, the OpenAPI document, the client's types, the bundles and every target's files are made from these lists.

import type { Endpoint } from '../shared/http/operation.ts'
import type { PlatformFunction } from '../shared/http/platform-function.ts'
import { changePassword } from './account/change-password.ts'
import { deleteAccount } from './account/delete.ts'
import { getAccount } from './account/get.ts'
import { listQuotas } from './account/list-quotas.ts'
import { listSessions } from './account/list-sessions.ts'
import { refreshSession } from './account/refresh.ts'
import { revokeSession } from './account/revoke-session.ts'
import { createSession } from './account/sign-in.ts'
import { deleteCurrentSession } from './account/sign-out.ts'
import { usePasswordLink } from './account/use-password-link.ts'
import { createAccount } from './accounts/create.ts'
import { listAccounts } from './accounts/list.ts'
import { listAccountQuotas } from './accounts/list-quotas.ts'
import { listSharedCredentials } from './accounts/list-shared-credentials.ts'
import { resumeAccount } from './accounts/resume.ts'
import { setAccountPlan } from './accounts/set-plan.ts'
import { setAccountQuotas } from './accounts/set-quotas.ts'
import { suspendAccount } from './accounts/suspend.ts'
import { createAgent } from './agents/create.ts'
import { deleteAgent } from './agents/delete.ts'
import { createDeployment } from './agents/deploy.ts'
import { estimateRun } from './agents/estimate.ts'
import { getAgent } from './agents/get.ts'
import { listAgents } from './agents/list.ts'
import { listDeployments } from './agents/list-deployments.ts'
import { promoteDeployment } from './agents/promote.ts'
import { updateAgent } from './agents/update.ts'
import { createAlertChannel } from './alerts/create-channel.ts'
import { deleteAlertChannel } from './alerts/delete-channel.ts'
import { deleteDeadline } from './alerts/delete-deadline.ts'
import { listAlerts } from './alerts/list.ts'
import { listAlertChannels } from './alerts/list-channels.ts'
import { listDeadlines } from './alerts/list-deadlines.ts'
import { listAlertRules } from './alerts/list-rules.ts'
import { setDeadline } from './alerts/set-deadline.ts'
import { testAlertChannel } from './alerts/test-channel.ts'
import { updateAlertRule } from './alerts/update-rule.ts'
import { listAuditEntries } from './audit/list.ts'
import { consumeQueue } from './consume.ts'
import { getDelivery } from './deliveries/get.ts'
import { listDeliveries } from './deliveries/list.ts'
import { resendDelivery } from './deliveries/resend.ts'
import { getHealth } from './health/live.ts'
import { getReadiness } from './health/ready.ts'
import { getServing } from './health/serving.ts'
import { countStepErrors } from './items/error-categories.ts'
import { exportItemRecords } from './items/export.ts'
import { getLineage } from './items/get-lineage.ts'
import { getItemRecord } from './items/get-record.ts'
import { listClusters } from './items/list-clusters.ts'
import { listSteps } from './items/list-steps.ts'
import { exportResults } from './items/results.ts'
import { whyItem } from './items/why.ts'
import { createMember } from './members/create.ts'
import { createPasswordLink } from './members/create-password-link.ts'
import { deleteMember } from './members/delete.ts'
import { listMembers } from './members/list.ts'
import { updateMember } from './members/update.ts'
import { checkPrices } from './prices/check.ts'
import { createPrice } from './prices/create.ts'
import { deletePrice } from './prices/delete.ts'
import { listPrices } from './prices/list.ts'
import { getActivity } from './projects/activity.ts'
import { createProject } from './projects/create.ts'
import { createApiKey } from './projects/create-key.ts'
import { deleteProject } from './projects/delete.ts'
import { deleteSavedView } from './projects/delete-view.ts'
import { getProject } from './projects/get.ts'
import { getSigningSecret } from './projects/get-signing-secret.ts'
import { listProjects } from './projects/list.ts'
import { listApiKeys } from './projects/list-keys.ts'
import { listSavedViews } from './projects/list-views.ts'
import { getModelUsage } from './projects/model-usage.ts'
import { getQueue } from './projects/queue.ts'
import { revokeApiKey } from './projects/revoke-key.ts'
import { rollSigningSecret } from './projects/roll-signing-secret.ts'
import { saveView } from './projects/save-view.ts'
import { updateProject } from './projects/update.ts'
import { abortRecovery } from './recovery/abort-recovery.ts'
import { acknowledgeItem } from './recovery/acknowledge-item.ts'
import { callItemWrong } from './recovery/call-item-wrong.ts'
import { confirmItem } from './recovery/confirm-item.ts'
import { createRecovery } from './recovery/create-recovery.ts'
import { dismissItem } from './recovery/dismiss-item.ts'
import { getCause } from './recovery/get-cause.ts'
import { getRecovery } from './recovery/get-recovery.ts'
import { listCauses } from './recovery/list-causes.ts'
import { listRecoveries } from './recovery/list-recoveries.ts'
import { listTriage } from './recovery/list-triage.ts'
import { listVerdicts } from './recovery/list-verdicts.ts'
import { reopenItem } from './recovery/reopen-item.ts'
import { replayItem } from './recovery/replay-item.ts'
import { resumeItem } from './recovery/resume-item.ts'
import { answerItems } from './runs/answer-items.ts'
import { cancelRun } from './runs/cancel.ts'
import { compareRuns } from './runs/compare.ts'
import { followRun } from './runs/events.ts'
import { getRunFailures } from './runs/failures.ts'
import { getRun } from './runs/get.ts'
import { gradeRun } from './runs/grade.ts'
import { listRuns } from './runs/list.ts'
import { listRunItems } from './runs/list-items.ts'
import { startRun } from './runs/start.ts'
import { startOneOffRun } from './runs/start-one.ts'
import { submitBatch } from './runs/submit-batch.ts'
import { updateRun } from './runs/update.ts'
import { verifyRun } from './runs/verify.ts'
import { createSchedule } from './schedules/create.ts'
import { deleteSchedule } from './schedules/delete.ts'
import { disableSchedule } from './schedules/disable.ts'
import { enableSchedule } from './schedules/enable.ts'
import { getSchedule } from './schedules/get.ts'
import { listSchedules } from './schedules/list.ts'
import { listScheduleEvents } from './schedules/list-events.ts'
import { previewSchedule } from './schedules/preview.ts'
import { previewSource } from './schedules/preview-source.ts'
import { triggerSchedule } from './schedules/trigger.ts'
import { updateSchedule } from './schedules/update.ts'
import { tick } from './tick.ts'
import { createTrigger } from './triggers/create.ts'
import { deleteTrigger } from './triggers/delete.ts'
import { fireTrigger } from './triggers/fire.ts'
import { getTrigger } from './triggers/get.ts'
import { listTriggers } from './triggers/list.ts'
import { updateTrigger } from './triggers/update.ts'
import { listUpstreams } from './upstreams/list.ts'
import { retryUpstream } from './upstreams/retry.ts'
import { setUpstreamLimits } from './upstreams/set-limits.ts'
import { unsetUpstreamLimits } from './upstreams/unset-limits.ts'

export const endpoints: readonly Endpoint[] = [
  getHealth,
  getReadiness,
  getServing,
  listProjects,
  createProject,
  getProject,
  updateProject,
  deleteProject,
  getActivity,
  getModelUsage,
  getQueue,
  listUpstreams,
  retryUpstream,
  setUpstreamLimits,
  unsetUpstreamLimits,
  listPrices,
  checkPrices,
  createPrice,
  deletePrice,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  getSigningSecret,
  rollSigningSecret,
  listAlertRules,
  updateAlertRule,
  listAlertChannels,
  createAlertChannel,
  deleteAlertChannel,
  testAlertChannel,
  listDeadlines,
  setDeadline,
  deleteDeadline,
  listSavedViews,
  saveView,
  deleteSavedView,
  listAgents,
  createAgent,
  getAgent,
  estimateRun,
  updateAgent,
  deleteAgent,
  listDeployments,
  createDeployment,
  promoteDeployment,
  startRun,
  startOneOffRun,
  submitBatch,
  answerItems,
  listRuns,
  getRun,
  updateRun,
  followRun,
  listRunItems,
  getRunFailures,
  compareRuns,
  gradeRun,
  cancelRun,
  verifyRun,
  exportItemRecords,
  exportResults,
  listClusters,
  getItemRecord,
  getLineage,
  whyItem,
  replayItem,
  resumeItem,
  acknowledgeItem,
  dismissItem,
  callItemWrong,
  confirmItem,
  reopenItem,
  listTriage,
  listVerdicts,
  listCauses,
  getCause,
  createRecovery,
  listRecoveries,
  getRecovery,
  abortRecovery,
  listSteps,
  countStepErrors,
  listDeliveries,
  getDelivery,
  resendDelivery,
  listAlerts,
  listSchedules,
  createSchedule,
  previewSchedule,
  previewSource,
  getSchedule,
  updateSchedule,
  deleteSchedule,
  enableSchedule,
  disableSchedule,
  listScheduleEvents,
  triggerSchedule,
  listTriggers,
  createTrigger,
  getTrigger,
  updateTrigger,
  deleteTrigger,
  fireTrigger,
  createSession,
  refreshSession,
  deleteCurrentSession,
  listSessions,
  revokeSession,
  getAccount,
  listQuotas,
  changePassword,
  usePasswordLink,
  deleteAccount,
  listMembers,
  createMember,
  updateMember,
  createPasswordLink,
  deleteMember,
  listAuditEntries,
  listAccounts,
  listSharedCredentials,
  createAccount,
  setAccountPlan,
  listAccountQuotas,
  setAccountQuotas,
  suspendAccount,
  resumeAccount,
]

export const platformFunctions: readonly PlatformFunction[] = [consumeQueue, tick]
