// Creates a schedule, with a preview of what it would do. Guarantee: the form is sent by POST only, since the headers
// of a source are secrets and links are logged.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import { shellWord } from '../../../shared/kernel/shell-word.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { guessFields, rowOf } from '../../../shared/submission/rules/first-rows.ts'
import { misfitOf, wantedOf } from '../../../shared/submission/rules/wanted-fields.ts'
import { checkBudget } from '../parts/agent-budget.ts'
import { checkInput, inputSchema } from '../parts/agent-input.ts'
import { agentsOf } from '../parts/agents-of.ts'
import { allFaults } from '../parts/all-faults.ts'
import { AgentField } from '../parts/choice.tsx'
import { List } from '../parts/list.tsx'
import { ScheduleFields, scheduleBody, scheduleForm, typedIn } from '../parts/schedule-form.tsx'
import { clockChecks, Moments, momentsOf } from '../parts/schedule-moments.tsx'
import { sourceOrder } from '../parts/source-fields.tsx'
import { counted } from '../parts/text.tsx'
import { ofProject, ofSchedule } from '../shell/addresses.ts'
import { bodyText } from '../shell/form-values.ts'
import { action, type Entered, page, type View, type Visit } from '../shell/page.ts'

export const newSchedulePage = page({
  path: '/dashboard/projects/{projectId}/schedules/new',
  least: 'operator',
  query: z.strictObject({
    agent_id: z.string().optional(),
    cron: z.string().optional(),
    timezone: z.string().optional(),
  }),
  show: (visit): Promise<View> => newScheduleView(visit, visit.query),
})

/** What a schedule would do, before it is made. */
interface Preview {
  moments: Schemas['SchedulePreview']['moments']
  source: Schemas['SourcePreview'] | undefined
}

/** The form as it was filled in, with the preview of the schedule. */
async function newScheduleView(
  { api, params: { projectId: project_id }, ctx }: Visit<{ projectId: string }>,
  entered: Entered,
  preview?: Preview,
): Promise<View> {
  const { data: agents = [] } = await agentsOf(api, project_id)
  const { cron, timezone = 'UTC' } = entered
  const guesses = guessesOf(preview?.source, entered)
  const filled = { ...entered, ...guesses }
  const agent = agents.find(one => one.id === entered.agent_id)
  const misfit = agent && preview?.source && (await misfitOfItems(api, agent, preview.source))
  return {
    title: 'New schedule',
    project_id,
    menu: 'schedules',
    has_costs: false,
    cli: `assay schedules create AGENT ${shellWord(cron ?? '0 6 * * 1-5')} --timezone ${shellWord(timezone)}`,
    body: (
      <>
        <h1>New schedule</h1>
        {preview && <WhatItWouldDo {...{ ...preview, misfit, guesses, timezone }} now={ctx.now()} />}
        <form class="stack" method="post" action={ofProject(project_id, 'schedules')} novalidate>
          <AgentField agents={agents} chosen={entered.agent_id} />
          <ScheduleFields entered={{ ...typedIn(filled), has_source: true, guessed: Object.keys(guesses) }} />
          <div class="actions">
            <button class="primary">Make the schedule</button>
            <button formaction={ofProject(project_id, 'schedules/preview')}>Preview</button>
          </div>
        </form>
      </>
    ),
  }
}

type Guesses = Partial<Record<'item_id' | 'partition_key', string>>

/** Guesses for the fields left empty, made from the source's first items. */
function guessesOf(source: Preview['source'], entered: Entered): Guesses {
  if (source === undefined) return {}
  const { item_id, partition_key } = guessFields(source.items.map(rowOfItem))
  return defined({
    item_id: entered.item_id ? undefined : item_id,
    partition_key: entered.partition_key ? undefined : partition_key,
  })
}

const WhatItWouldDo = ({
  moments,
  source,
  misfit,
  guesses,
  timezone,
  now,
}: Preview & { misfit: string | undefined; guesses: Guesses; timezone: string; now: number }) => (
  <>
    <h2>Next runs</h2>
    <Moments moments={moments} timezone={timezone} now={now} />
    {source && (
      <>
        <h2>Its items, if it fired now</h2>
        <p>
          {counted(source.count, 'item')}
          {source.count > source.items.length && `, of which these are the first`}.
        </p>
        {misfit && <p class="v-degraded">{misfit}</p>}
        <List
          id="first-items"
          rows={source.items}
          columns={[
            {
              label: 'Item',
              cell: one =>
                one.item_id ?? fieldOf(one.input, guesses.item_id) ?? <span class="dim">given by Assay</span>,
            },
            {
              label: 'Partition',
              cell: one => one.partition_key ?? fieldOf(one.input, guesses.partition_key),
            },
            { label: 'Input', cell: one => <code>{JSON.stringify(one.input)}</code> },
          ]}
          empty={<p>None: it would be skipped.</p>}
        />
      </>
    )}
  </>
)

/** The value of the guessed field, as text. */
const fieldOf = (input: unknown, field: string | undefined): string | undefined => {
  const value = field === undefined ? undefined : (input as Record<string, unknown>)[field]
  return value === undefined || value === null ? undefined : String(value)
}

const newScheduleForm = z.strictObject({ agent_id: z.string(), ...scheduleForm })

/** The fields as typed, next to their parsed values: a preview shows the form again as typed. */
const typed = z.record(z.string(), z.string()).transform((entered, { addIssue }) => {
  const read = newScheduleForm.safeParse(entered)
  if (read.success) return { entered, filled: read.data }
  for (const issue of read.error.issues) addIssue({ ...issue } as Parameters<typeof addIssue>[0])
  return z.NEVER
})

/** Names the fields that the agent requires and the items lack; undefined where they fit. */
async function misfitOfItems(
  api: Client,
  { id, slug }: Schemas['Agent'],
  { items }: Schemas['SourcePreview'],
): Promise<string | undefined> {
  const wanted = wantedOf(await inputSchema(api, { agent_id: id }))
  return wanted && misfitOf(slug, wanted, items.map(rowOfItem), '')?.said
}

const rowOfItem = ({ input }: { input?: unknown }) => rowOf(JSON.stringify(input))

/** Sent by POST, because a link would carry the headers of the source into logs. */
export const previewSchedule = action({
  path: '/dashboard/projects/{projectId}/schedules/preview',
  least: 'operator',
  form: typed,
  again: newScheduleView,
  async act(visit, { entered, filled: { agent_id, cron, timezone, ...rest } }) {
    const { api } = visit
    const clock = { cron, timezone }
    await allFaults({ ...clock, ...rest }, [...clockChecks(api, clock), checkInput(api, agent_id, rest)])
    const moments = await momentsOf(api, clock)
    const source = sourceOrder(rest)
    const read = source && (await api.POST('/v1/sources/preview', { body: { agent_id, source, timezone } }))
    return newScheduleView(visit, entered, { moments, source: read?.data })
  },
})

export const createSchedule = action({
  path: '/dashboard/projects/{projectId}/schedules',
  least: 'operator',
  form: newScheduleForm,
  again: newScheduleView,
  async act({ api }, { agent_id, ...filled }) {
    await allFaults(filled, [...clockChecks(api, filled), checkInput(api, agent_id, filled)])
    const { fields, texts } = scheduleBody(filled)
    await checkBudget(api, { agent_id, ...fields })
    const { data } = await api.POST('/v1/schedules', {
      body: { agent_id, ...fields, enabled: true },
      bodySerializer: body => bodyText(body, texts),
    })
    return { to: ofSchedule(data!.id), said: 'The schedule is made.' }
  },
})
