// Commands that only read, and the one that cancels a run.

import type { RunState } from '../items/vocabulary.ts'
import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import { abortedInFlight } from '../view/run.ts'
import { type FailureRuleOf, failureRuleOf } from '../view/worked-share.ts'
import { type Agent, answered, type Run, type Step } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode } from './failure.ts'
import { findItem } from './find-item.ts'
import { decisionText, itemText } from './item-view.ts'
import { printList } from './listing.ts'
import { BY_ID, bodyPageOf, everyRow, inFull, type PageQuery, pageOf } from './pages.ts'
import { type RulesOf, runSummary, runsTable, verificationText } from './run-view.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

export function runs(session: Session, given: Given): Promise<ExitCode> {
  const { api, now } = session
  const judge = judging(session)
  const state = given.text('state') as RunState | undefined
  const filter = defined({ agent: given.text('agent'), tag: given.text('tag'), state })
  return printList<Run>(session, given, {
    event: 'run',
    empty: Object.keys(filter).length === 0 ? 'no runs yet' : 'no run is like that',
    page: LIMITS.runs_page.max,
    read: async page => {
      const found = await pageOf(api.GET('/v2/runs', { params: { query: { ...filter, ...page } } }))
      await judge.read(found.rows)
      return found
    },
    ...BY_ID,
    text: (rows, screen) => runsTable(rows, now(), screen, judge.rulesOf),
    below: ([run]) => `list prices of ${run!.prices_as_of}`,
  })
}

/** The alert rules of the projects whose runs are listed; the usual ones where they cannot be read. */
function judging({ api }: Session) {
  const known = new Map<string, FailureRuleOf>()
  const rulesOf: RulesOf = project_id => known.get(project_id) ?? failureRuleOf([])
  async function read(runs: readonly Run[]): Promise<void> {
    const projects = new Set(runs.map(run => run.project_id).filter(id => !known.has(id)))
    for (const projectId of projects) {
      const rules = api.GET('/v1/projects/{projectId}/alert-rules', { params: { path: { projectId } } })
      const { data = [] } = await rules.catch(() => ({ data: [] }))
      known.set(projectId, failureRuleOf(data))
    }
  }
  return { rulesOf, read }
}

const AGENTS: Column<Agent>[] = [
  { title: 'SLUG', value: agent => agent.slug, least: 8 },
  { title: 'NAME', value: agent => agent.name, least: 8, optional: 2 },
  {
    title: 'DEPLOYED',
    value: agent => (agent.deployed_version === null ? 'nothing yet' : `version ${agent.deployed_version}`),
    style: agent => (agent.deployed_version === null ? 'dim' : undefined),
  },
  { title: 'DESCRIPTION', value: agent => agent.description, least: 32, optional: 1 },
  { title: 'ID', value: agent => agent.id, optional: 3 },
]

export function agents(session: Session, given: Given): Promise<ExitCode> {
  return printList<Agent>(session, given, {
    event: 'agent',
    empty: 'nothing has been deployed yet',
    ...inFull(() => answered(session.api.GET('/v1/agents'))),
    ...BY_ID,
    text: (rows, screen) => table(AGENTS, rows, screen),
  })
}

export async function item(session: Session, given: Given): Promise<void> {
  const { api, output } = session
  const itemId = await findItem(session, given, 'item')
  const record = await answered(api.GET('/v1/durable/runs/{itemId}', { params: { path: { itemId } } }))
  const stepsPage = (page: PageQuery) =>
    bodyPageOf(
      api.GET('/v1/steps', { params: { query: { record_id: itemId, ...page } } }),
      found => found.steps,
    )
  const steps: Step[] = []
  for await (const step of everyRow(stepsPage, LIMITS.steps_page.max)) steps.push(step)
  output.emit(
    'item',
    { ...record, steps },
    screen => itemText(record, steps, screen) + decisionText(record, screen),
  )
}

export async function cancel({ api, output }: Session, given: Given): Promise<void> {
  const in_flight = given.flag('now') ? 'abort' : 'finish'
  const { aborted, ...run } = await answered(
    api.POST('/v2/runs/{runId}/cancel', {
      params: { path: { runId: given.arg(0) } },
      body: { in_flight },
    }),
  )
  output.emit(
    'cancelled',
    { run, aborted },
    screen => runSummary(run, screen) + (in_flight === 'abort' ? `\n${abortedInFlight(aborted)}` : ''),
  )
}

export async function verify({ api, output }: Session, given: Given): Promise<ExitCode> {
  const verification = await answered(
    api.GET('/v2/runs/{runId}/verify', { params: { path: { runId: given.arg(0) } } }),
  )
  output.emit('verified', verification, screen => verificationText(verification, screen))
  return verification.balanced ? EXIT.ok : EXIT.failed
}
