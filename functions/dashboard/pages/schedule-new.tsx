// A new schedule, which is shown what it would do before it is made. Guarantee: what is typed is sent by POST alone, since
// headers of a source are secrets and links are logged.

import * as z from 'zod'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { AgentField } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { ScheduleFields, scheduleBody, scheduleForm } from '../parts/schedule-form.tsx'
import { Moments } from '../parts/schedule-moments.tsx'
import { shellWord } from '../parts/shell-word.ts'
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

/** The form as it was filled in, and what that would do. */
async function newScheduleView(
  { api, params, ctx }: Visit<{ projectId: string }>,
  entered: Entered,
  preview?: Preview,
): Promise<View> {
  const project_id = params.projectId
  const { data: agents = [] } = await api.GET('/v1/agents', { params: { query: { project_id } } })
  const { cron, timezone = 'UTC' } = entered
  return {
    title: 'New schedule',
    project_id,
    menu: 'schedules',
    cli: `assay schedules create AGENT ${shellWord(cron ?? '0 6 * * 1-5')} --timezone ${shellWord(timezone)}`,
    body: (
      <>
        <h1>New schedule</h1>
        <form class="stack" method="post" action={ofProject(project_id, 'schedules')}>
          <AgentField agents={agents} chosen={entered.agent_id} />
          <ScheduleFields entered={typedIn(entered)} />
          <datalist id="zones">
            {Intl.supportedValuesOf('timeZone').map(zone => (
              <option value={zone} />
            ))}
          </datalist>
          <div class="actions">
            <button class="primary">Make the schedule</button>
            <button formaction={ofProject(project_id, 'schedules/preview')}>Show what it would do</button>
          </div>
        </form>
        {preview && <WhatItWouldDo {...preview} now={ctx.now()} />}
      </>
    ),
  }
}

const WhatItWouldDo = ({ moments, source, now }: Preview & { now: number }) => (
  <>
    <h2>It fires</h2>
    <Moments moments={moments} now={now} />
    {source && (
      <>
        <h2>Its items, if it fired now</h2>
        <p>
          {counted(source.count, 'item')}
          {source.count > source.items.length && `, of which these are the first`}.
        </p>
        <List
          id="first-items"
          rows={source.items}
          columns={[
            { label: 'Item', cell: one => one.item_id ?? <span class="dim">given by the service</span> },
            { label: 'Partition', cell: one => one.partition_key },
            { label: 'Input', cell: one => <code>{JSON.stringify(one.input)}</code> },
          ]}
          empty={<p>None: it would be skipped.</p>}
        />
      </>
    )}
  </>
)

/** A form that is shown again holds what was typed. */
const typedIn = (entered: Entered) => ({
  ...entered,
  source: {
    url: entered.source_url ?? '',
    generator: entered.generator ?? '',
    format: (entered.format || null) as Schemas['Source']['format'],
    item_id: entered.item_id ?? null,
    partition_key: entered.partition_key ?? null,
  },
  has_source: Boolean(entered.source_url || entered.generator),
  allow_unpriced: entered.allow_unpriced !== undefined,
})

const newScheduleForm = z.strictObject({ agent_id: z.string(), ...scheduleForm })

/** What was typed, besides what it says: a preview shows the form again as it was. */
const typed = z.record(z.string(), z.string()).transform((entered, { addIssue }) => {
  const read = newScheduleForm.safeParse(entered)
  if (read.success) return { entered, filled: read.data }
  for (const issue of read.error.issues) addIssue({ ...issue } as Parameters<typeof addIssue>[0])
  return z.NEVER
})

/** By POST: a link would carry the headers of the source into logs. */
export const previewSchedule = action({
  path: '/dashboard/projects/{projectId}/schedules/preview',
  least: 'operator',
  form: typed,
  again: newScheduleView,
  async act(visit, { entered, filled: { agent_id, cron, timezone, ...rest } }) {
    const { api } = visit
    const query = { cron, timezone }
    const { data } = await api.GET('/v1/schedules/preview', { params: { query } })
    const source = sourceOrder(rest)
    const read = source && (await api.POST('/v1/sources/preview', { body: { agent_id, source, timezone } }))
    return newScheduleView(visit, entered, { moments: data!.moments, source: read?.data })
  },
})

export const createSchedule = action({
  path: '/dashboard/projects/{projectId}/schedules',
  least: 'operator',
  form: newScheduleForm,
  again: newScheduleView,
  async act({ api }, { agent_id, ...filled }) {
    const { fields, texts } = scheduleBody(filled)
    const { data } = await api.POST('/v1/schedules', {
      body: { agent_id, ...fields, enabled: true },
      bodySerializer: body => bodyText(body, texts),
    })
    return { to: ofSchedule(data!.id), said: 'The schedule is made.' }
  },
})
