// Submits a file of items: all of it, or a pilot first and the rest once the pilot looks right.

import * as z from 'zod'
import { checked } from '../../../shared/http/validation.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { outlookOf } from '../../../shared/submission/rules/pilot.ts'
import { type Wanted, wantedOf } from '../../../shared/submission/rules/wanted-fields.ts'
import { BatchQuery } from '../../../shared/submission/wire/run-order.ts'
import { inputSchema } from '../parts/agent-input.ts'
import { agentsOf } from '../parts/agents-of.ts'
import { PilotReport } from '../parts/pilot-report.tsx'
import { type Entered, type Guessed, SubmitForm } from '../parts/submit-form.tsx'
import { faultsIn, type OrderFields, settingsOf } from '../parts/submit-order.ts'
import { ofProject, ofRun } from '../shell/addresses.ts'
import { SUBMIT_SCRIPT_PATH } from '../shell/assets.ts'
import { faultOf } from '../shell/checked-only.ts'
import { centsOfDollars } from '../shell/dollars.ts'
import { page, type View, type Visit } from '../shell/page.ts'

const text = z.string().optional()
const whole = z.coerce.number().int().min(0)
export const orderFields = {
  agent: text,
  item_id: text,
  partition_key: text,
  input: text,
  name: text,
  tags: text,
  budget_usd: text,
  concurrency: text,
  callback_url: text,
  allow_unpriced: text,
}
/** Identify a pilot's file: a file with the same number of rows and bytes counts as the same. */
export const fileFields = { rows: whole.max(LIMITS.items_per_run), bytes: whole }

const Query = z.strictObject({
  ...orderFields,
  /** The pilot's run. */
  pilot: z.uuid().optional(),
  file: text,
  rows: fileFields.rows.optional(),
  bytes: fileFields.bytes.optional(),
})

export const submitPage = page({
  path: '/dashboard/projects/{projectId}/submit',
  query: Query,
  show: visit => (visit.query.pilot === undefined ? formView(visit, visit.query) : pilotView(visit)),
})

/** Returns the fields that the agent requires of a row, or null, as JSON for the page's script. */
export const wantedPage = page({
  path: '/dashboard/projects/{projectId}/submit/wanted',
  query: z.strictObject({ agent: z.string() }),
  async show({ api, params, query }) {
    return Response.json((await readWanted(api, params.projectId, query.agent)) ?? null)
  },
})

/** Returns what the API would refuse of an order, as JSON for the page's script. */
export const faultsPage = page({
  path: '/dashboard/projects/{projectId}/submit/faults',
  query: z.strictObject(orderFields),
  async show({ api, params: { projectId }, query }) {
    await api.GET('/v1/projects/{projectId}', { params: { path: { projectId } } })
    return Response.json(faultsOfOrder(query))
  },
})

/** All of them, whatever else is wrong with the form; in sentences. */
export function faultsOfOrder(fields: OrderFields): string[] {
  const fault = faultOf(() => checked(BatchQuery, settingsOf(fields), 'query', LIMITS.form_fields))
  return fault instanceof ApiError ? faultsIn(fault.message) : []
}

export async function readWanted(
  api: Client,
  project_id: string,
  slug: string | undefined,
): Promise<Wanted | undefined> {
  const { data: agents = [] } = await agentsOf(api, project_id)
  const agent = agents.find(one => one.slug === slug)
  return agent && wantedOf(await inputSchema(api, { agent_id: agent.id }))
}

/** The form with the entered or guessed values, and the errors in them. */
export async function formView(
  { api, params, member }: Pick<Visit<{ projectId: string }>, 'api' | 'params' | 'member'>,
  entered: Entered,
  { wrong, guessed = [] }: { wrong?: readonly string[]; guessed?: Guessed } = {},
): Promise<View> {
  const project_id = params.projectId
  const { data: agents = [] } = await agentsOf(api, project_id)
  return {
    ...frameOf(project_id),
    title: 'Submit items',
    ...(wrong && { status: 400 }),
    cli: cliOf(entered),
    body: (
      <div id="submit">
        <h1>Submit items</h1>
        <SubmitForm
          project_id={project_id}
          agents={agents}
          entered={entered}
          wrong={wrong}
          guessed={guessed}
          mayNot={member.role === 'viewer'}
        />
      </div>
    ),
  }
}

const frameOf = (project_id: string) => ({ project_id, menu: 'submit', script: SUBMIT_SCRIPT_PATH })

/** The command that does the same. */
function cliOf({ agent, item_id, partition_key }: OrderFields): string {
  const quoted = (value: string) => (/^[\w.-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`)
  const mapping = [
    ...(item_id ? ['--item-id', quoted(item_id)] : []),
    ...(partition_key ? ['--partition-key', quoted(partition_key)] : []),
  ]
  return ['assay submit items.jsonl --agent', agent ? quoted(agent) : 'SLUG', ...mapping, '--pilot 20'].join(
    ' ',
  )
}

async function pilotView({
  api,
  params,
  query,
  ctx,
  member,
}: Visit<{ projectId: string }, z.output<typeof Query>>): Promise<View> {
  const { pilot = '', file = 'the file', rows = 0, bytes = 0, ...fields } = query
  const { run, notOk, ok } = await readPilot(api, pilot)
  const hasEnded = run.queued + run.running === 0 && run.status !== 'materializing'
  const left = Math.max(0, rows - run.total_items)
  const budget = centsOfDollars(fields.budget_usd) ?? undefined
  const estimate = hasEnded && left > 0 ? await estimateOf(api, run, left) : undefined
  return {
    ...frameOf(params.projectId),
    title: 'Pilot',
    has_costs: true,
    cli: `assay watch ${run.id}`,
    live: run.finished_at === null ? { events: ofRun(run.id, 'events') } : undefined,
    body: (
      <div id="submit">
        <PilotReport
          action={ofProject(params.projectId, 'submit')}
          run={run}
          notOk={notOk}
          ok={ok}
          estimate={estimate}
          outlook={hasEnded ? outlookOf(run, left, budget, ctx.now()) : undefined}
          fields={fields}
          file={{ file, rows, bytes, run_id: run.id }}
          mayNot={member.role === 'viewer'}
        />
      </div>
    ),
  }
}

async function estimateOf(api: Client, { agent_id, concurrency }: Schemas['Run'], items: number) {
  const query = { items, ...defined({ concurrency: concurrency ?? undefined }) }
  const { data } = await api.GET('/v1/agents/{agentId}/estimate', {
    params: { path: { agentId: agent_id }, query },
  })
  return data?.estimate
}

async function readPilot(api: Client, runId: string) {
  const path = { runId }
  const itemsOf = (outcome: 'not_ok' | 'ok') => {
    const query = { outcome, limit: LIMITS.pilot_items }
    return api.GET('/v2/runs/{runId}/items', { params: { path, query } })
  }
  const [{ data: run }, { data: notOk = [] }, { data: ok = [] }] = await Promise.all([
    api.GET('/v2/runs/{runId}', { params: { path } }),
    itemsOf('not_ok'),
    itemsOf('ok'),
  ])
  return { run: run!, notOk, ok }
}
