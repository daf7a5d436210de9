// Every page and action of the dashboard. It is one function, since its pages share a menu, a session and a style.

import type { Hono } from 'hono'
import type { Context } from '../../shared/context.ts'
import type { Endpoint } from '../../shared/http/operation.ts'
import * as account from './pages/account.tsx'
import * as agent from './pages/agent.tsx'
import * as agentStop from './pages/agent-stop.tsx'
import * as agents from './pages/agents.tsx'
import * as alertChannels from './pages/alert-channels.tsx'
import * as alerts from './pages/alerts.tsx'
import * as audit from './pages/audit.tsx'
import * as cause from './pages/cause.tsx'
import * as causes from './pages/causes.tsx'
import * as deadlines from './pages/deadlines.tsx'
import * as deliveries from './pages/deliveries.tsx'
import * as health from './pages/health.tsx'
import * as item from './pages/item.tsx'
import * as itemDecide from './pages/item-decide.ts'
import * as itemRaw from './pages/item-raw.ts'
import * as itemReplay from './pages/item-replay.tsx'
import * as jump from './pages/jump.tsx'
import * as keys from './pages/keys.tsx'
import * as members from './pages/members.tsx'
import * as models from './pages/models.tsx'
import * as overview from './pages/overview.tsx'
import { passwordPage, setPassword } from './pages/password.tsx'
import * as prices from './pages/prices.tsx'
import * as projects from './pages/projects.tsx'
import * as quotas from './pages/quotas.tsx'
import * as recoveries from './pages/recoveries.tsx'
import * as recovery from './pages/recovery.tsx'
import * as run from './pages/run.tsx'
import * as runCancel from './pages/run-cancel.tsx'
import * as runCompare from './pages/run-compare.tsx'
import * as runGrade from './pages/run-grade.tsx'
import * as runResults from './pages/run-results.tsx'
import * as runTags from './pages/run-tags.ts'
import * as runVerify from './pages/run-verify.tsx'
import * as runs from './pages/runs.tsx'
import * as savedViews from './pages/saved-views.ts'
import * as schedule from './pages/schedule.tsx'
import * as scheduleNew from './pages/schedule-new.tsx'
import * as schedules from './pages/schedules.tsx'
import * as search from './pages/search.tsx'
import * as settings from './pages/settings.tsx'
import { signIn, signInPage, signOut } from './pages/sign-in.tsx'
import * as submit from './pages/submit.tsx'
import * as submitActions from './pages/submit-actions.ts'
import * as triage from './pages/triage.tsx'
import * as triageDecide from './pages/triage-decide.tsx'
import * as trigger from './pages/trigger.tsx'
import * as triggers from './pages/triggers.tsx'
import * as upstream from './pages/upstream.tsx'
import * as upstreams from './pages/upstreams.tsx'
import * as verdicts from './pages/verdicts.tsx'
import { serveParts } from './shell/app.tsx'
import type { Action, Page } from './shell/page.ts'

/** Each exports its pages and actions; a new file is added here. */
const MODULES = [
  account,
  agent,
  agentStop,
  agents,
  alertChannels,
  alerts,
  audit,
  cause,
  causes,
  deadlines,
  deliveries,
  health,
  item,
  itemDecide,
  itemRaw,
  itemReplay,
  jump,
  keys,
  members,
  models,
  overview,
  prices,
  projects,
  quotas,
  recoveries,
  recovery,
  run,
  runCancel,
  runCompare,
  runGrade,
  runResults,
  runTags,
  runVerify,
  runs,
  savedViews,
  schedule,
  scheduleNew,
  schedules,
  search,
  settings,
  submit,
  submitActions,
  triage,
  triageDecide,
  trigger,
  triggers,
  upstream,
  upstreams,
  verdicts,
]
const exported: unknown[] = MODULES.flatMap(module => Object.values(module))
const has = (name: string) => (one: unknown) => typeof one === 'object' && one !== null && name in one

export const open = { pages: [signInPage, passwordPage], actions: [signIn, setPassword] }
export const pages = exported.filter(has('show')) as Page[]
export const actions = [signOut, ...(exported.filter(has('act')) as Action[])]

/** Adds every route below /dashboard to an app; pages call the endpoints. */
export const serveDashboard = (
  app: Hono,
  endpoints: readonly Endpoint[],
  contextFor: (request: Request) => Context,
): void => serveParts(app, { pages, actions, open }, endpoints, contextFor)
