// Every page and action of the dashboard. It is one function, since its pages share a menu, a session and a style.

import type { Hono } from 'hono'
import type { Context } from '../../shared/context.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { accountPage, changePassword, revokeSession } from './pages/account.tsx'
import { agentPage, deleteAgent, promoteDeployment, runAgent, setAgentBudgets } from './pages/agent.tsx'
import { stopAgent, stopAgentPage } from './pages/agent-stop.tsx'
import { agentsPage } from './pages/agents.tsx'
import { addAlertChannel, removeAlertChannel, testAlertChannel } from './pages/alert-channels.tsx'
import { alertsPage, setAlertRule } from './pages/alerts.tsx'
import { auditPage } from './pages/audit.tsx'
import { causePage } from './pages/cause.tsx'
import { removeDeadline, setDeadline } from './pages/deadlines.tsx'
import { deliveriesPage, deliveryPage, resendDelivery } from './pages/deliveries.tsx'
import { healthPage } from './pages/health.tsx'
import { itemPage } from './pages/item.tsx'
import {
  acknowledgeItem,
  callItemWrong,
  confirmItem,
  dismissItem,
  reopenItem,
  resumeItem,
} from './pages/item-decide.ts'
import { itemRaw } from './pages/item-raw.ts'
import { replayItem, replayPage } from './pages/item-replay.tsx'
import { jumpPage } from './pages/jump.tsx'
import { createKey, keysPage, revokeKey } from './pages/keys.tsx'
import { createMember, membersPage, removeMember, setRole } from './pages/members.tsx'
import { modelsPage } from './pages/models.tsx'
import { overviewPage } from './pages/overview.tsx'
import { pricesPage, removePrice, setPrice } from './pages/prices.tsx'
import { createProject, projectsPage, start } from './pages/projects.tsx'
import { quotasPage } from './pages/quotas.tsx'
import { abortRecovery, recoveriesPage, recoveryProgressPage } from './pages/recoveries.tsx'
import { recoveryPage, startRecovery } from './pages/recovery.tsx'
import { runEvents, runPage } from './pages/run.tsx'
import { cancelRun, cancelRunPage } from './pages/run-cancel.tsx'
import { compareRunPage } from './pages/run-compare.tsx'
import { gradeRunPage } from './pages/run-grade.tsx'
import { runResultsFile, runResultsPage } from './pages/run-results.tsx'
import { tagRun } from './pages/run-tags.ts'
import { verifyRunPage } from './pages/run-verify.tsx'
import { runsPage } from './pages/runs.tsx'
import { deleteView, saveView } from './pages/saved-views.ts'
import {
  changeSchedule,
  deleteSchedule,
  disableSchedule,
  enableSchedule,
  runSchedule,
  schedulePage,
} from './pages/schedule.tsx'
import { createSchedule, newSchedulePage, previewSchedule } from './pages/schedule-new.tsx'
import { schedulesPage } from './pages/schedules.tsx'
import { searchPage } from './pages/search.tsx'
import { changeSettings, deleteProject, rollSecret, settingsPage, showSecret } from './pages/settings.tsx'
import { signIn, signInPage, signOut } from './pages/sign-in.tsx'
import { submitPage, wantedPage } from './pages/submit.tsx'
import { submitForm, submitLines } from './pages/submit-actions.ts'
import { triagePage } from './pages/triage.tsx'
import { decideItems, reopenItems } from './pages/triage-decide.tsx'
import {
  changeTrigger,
  changeTriggerItems,
  changeTriggerStart,
  deleteTrigger,
  triggerPage,
} from './pages/trigger.tsx'
import { createTrigger, triggersPage } from './pages/triggers.tsx'
import { verdictsPage } from './pages/verdicts.tsx'
import { serveParts } from './shell/app.tsx'

export const open = { pages: [signInPage], actions: [signIn] }
/** In the order of the menu. */
export const pages = [
  start,
  projectsPage,
  overviewPage,
  jumpPage,
  runsPage,
  runPage,
  runEvents,
  cancelRunPage,
  compareRunPage,
  gradeRunPage,
  verifyRunPage,
  runResultsPage,
  runResultsFile,
  itemPage,
  itemRaw,
  replayPage,
  triagePage,
  causePage,
  verdictsPage,
  recoveryPage,
  recoveriesPage,
  recoveryProgressPage,
  healthPage,
  searchPage,
  agentsPage,
  agentPage,
  stopAgentPage,
  submitPage,
  wantedPage,
  schedulesPage,
  newSchedulePage,
  schedulePage,
  triggersPage,
  triggerPage,
  alertsPage,
  deliveriesPage,
  deliveryPage,
  keysPage,
  modelsPage,
  pricesPage,
  settingsPage,
  auditPage,
  membersPage,
  quotasPage,
  accountPage,
]
export const actions = [
  signOut,
  createProject,
  cancelRun,
  tagRun,
  saveView,
  deleteView,
  replayItem,
  resumeItem,
  acknowledgeItem,
  dismissItem,
  callItemWrong,
  confirmItem,
  reopenItem,
  decideItems,
  reopenItems,
  startRecovery,
  abortRecovery,
  runAgent,
  promoteDeployment,
  deleteAgent,
  stopAgent,
  submitForm,
  submitLines,
  createSchedule,
  previewSchedule,
  changeSchedule,
  enableSchedule,
  disableSchedule,
  runSchedule,
  deleteSchedule,
  createTrigger,
  changeTrigger,
  changeTriggerItems,
  changeTriggerStart,
  deleteTrigger,
  setAlertRule,
  addAlertChannel,
  removeAlertChannel,
  testAlertChannel,
  setDeadline,
  removeDeadline,
  resendDelivery,
  createKey,
  revokeKey,
  setPrice,
  removePrice,
  setAgentBudgets,
  changeSettings,
  showSecret,
  rollSecret,
  deleteProject,
  createMember,
  setRole,
  removeMember,
  changePassword,
  revokeSession,
]

/** Adds every route below /dashboard to an app; pages call the endpoints. */
export const serveDashboard = (
  app: Hono,
  endpoints: readonly Endpoint[],
  contextFor: (request: Request) => Context,
): void => serveParts(app, { pages, actions, open }, endpoints, contextFor)
