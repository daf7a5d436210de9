// A new schedule, which is shown what it would do before it is made. Guarantee: what is typed is sent by POST alone, since
// headers of a source are secrets and links are logged.

import * as z from 'zod'
import { RESULT_FORMATS } from '../../../shared/recovery/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { AgentField, Field } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { shellWord } from '../parts/shell-word.ts'
import { SourceFields, sourceForm, sourceOrder } from '../parts/source-fields.tsx'
import { counted, When } from '../parts/text.tsx'
import { ofProject, ofSchedule } from '../shell/addresses.ts'
import { bodyText, dollars, jsonText } from '../shell/form-values.ts'
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
          <NewScheduleFields agents={agents} entered={entered} />
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

const NewScheduleFields = ({
  agents,
  entered,
}: {
  agents: readonly Schemas['Agent'][]
  entered: Entered
}) => (
  <>
    <AgentField agents={agents} chosen={entered.agent_id} />
    <Field
      label="Cron"
      hint="Minute, hour, day of the month, month, day of the week; on the wall clock of the zone."
    >
      <input name="cron" value={entered.cron ?? ''} required placeholder="0 6 * * 1-5" />
    </Field>
    <Field label="Time zone" hint="A name of the IANA database.">
      <input name="timezone" value={entered.timezone ?? 'UTC'} required list="zones" />
    </Field>
    <datalist id="zones">
      {Intl.supportedValuesOf('timeZone').map(zone => (
        <option value={zone} />
      ))}
    </datalist>
    <Field label="Name" hint="What people call it, and its runs.">
      <input name="name" value={entered.name ?? ''} />
    </Field>
    <Field
      label="Input"
      hint="JSON; each fire is one run over one item with this input, unless many items are read below."
    >
      <textarea name="input" spellcheck={false}>
        {entered.input ?? 'null'}
      </textarea>
    </Field>
    <SourceFields
      open={Boolean(entered.source_url || entered.generator)}
      source={{
        url: entered.source_url ?? '',
        generator: entered.generator ?? '',
        format: (entered.format || null) as Schemas['Source']['format'],
        item_id: entered.item_id ?? null,
        partition_key: entered.partition_key ?? null,
      }}
      headers={entered.headers}
    />
    <Field label="Budget of each run in dollars" hint="Empty is no bound.">
      <input name="budget_usd" inputmode="decimal" value={entered.budget_usd ?? ''} />
    </Field>
    <AllowUnpriced checked={entered.allow_unpriced !== undefined} />
    <PilotField value={entered.pilot_items ?? ''} />
    <CallbackField value={entered.callback_url ?? ''} />
    <ResultsFields url={entered.results_url} format={entered.results_format} />
  </>
)

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

const NOTES = {
  skipped: 'The clock jumps over it: nothing fires.',
  repeated: 'The clock shows it twice: it fires the first time.',
}

export const Moments = ({
  moments,
  now,
}: {
  moments: Schemas['SchedulePreview']['moments']
  now: number
}) => (
  <List
    id="moments"
    rows={moments}
    columns={[
      { label: 'On the wall clock', cell: moment => moment.wall_clock.replace('T', ' ') },
      { label: 'In', cell: moment => (moment.at === null ? '—' : <When at={moment.at} now={now} />) },
      { label: 'Note', cell: moment => moment.note && <span class="v-degraded">{NOTES[moment.note]}</span> },
    ]}
    empty={<p>Never.</p>}
  />
)

export const PilotField = ({ value }: { value: string | number }) => (
  <Field label="Items that go first" hint="The others follow when one of these was ok. Empty is all at once.">
    <input name="pilot_items" type="number" min="1" value={value} />
  </Field>
)

export const CallbackField = ({ value }: { value: string }) => (
  <Field label="Callback URL" hint="Gets a signed summary when a run ends.">
    <input name="callback_url" type="url" value={value} />
  </Field>
)

export const scheduleForm = {
  name: z.string().default(''),
  cron: z.string(),
  timezone: z.string(),
  input: jsonText,
  budget_usd: dollars,
  pilot_items: z.string().default(''),
  callback_url: z.string().default(''),
  results_url: z.string().default(''),
  results_format: z.enum(RESULT_FORMATS).default('csv'),
  allow_unpriced: z.string().optional(),
  ...sourceForm,
}

export const AllowUnpriced = ({ checked }: { checked: boolean }) => (
  <label class="inline">
    <input type="checkbox" name="allow_unpriced" value="true" checked={checked} /> Go on with models without a
    price; the budget does not count them
  </label>
)

/** What the form says, as the API takes it; the input stays the text it is. */
export function scheduleBody(filled: z.output<z.ZodObject<typeof scheduleForm>>) {
  const {
    budget_usd: budget_cents,
    pilot_items,
    callback_url,
    input,
    name,
    cron,
    timezone,
    ...others
  } = filled
  const { results_url: url, results_format: format, allow_unpriced: allowed, ...rest } = others
  const results = url === '' ? null : { url, format }
  const source = sourceOrder(rest)
  const texts: Record<string, string> = source === null ? { input } : {}
  const money = { budget_cents, allow_unpriced: allowed !== undefined }
  const how = { pilot_items: Number(pilot_items) || null, callback_url: callback_url || null }
  return { fields: { name: name || null, cron, timezone, ...money, ...how, source, results }, texts }
}

export const ResultsFields = ({
  url = '',
  format = 'csv',
}: {
  url?: string | undefined
  format?: string | undefined
}) => (
  <>
    <Field label="URL that gets the results" hint="As a file, signed, when a run has ended. Empty: nobody.">
      <input name="results_url" type="url" value={url} />
    </Field>
    <Field label="Format of that file">
      <select name="results_format">
        {RESULT_FORMATS.map(one => (
          <option selected={one === format}>{one}</option>
        ))}
      </select>
    </Field>
  </>
)

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
