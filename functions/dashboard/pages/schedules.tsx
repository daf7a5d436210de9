// The schedules of a project, what comes next of all of them, and a new one, tried on the calendar before it is made.

import { z } from 'zod'
import { RESULT_FORMATS } from '../../../shared/recovery/rules/results.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofProject, ofSchedule } from '../frame/addresses.ts'
import { defined } from '../frame/defined.ts'
import { bodyText, dollars, jsonText } from '../frame/form-values.ts'
import { action, type Entered, page, type View, type Visit } from '../frame/page.ts'
import { Field } from '../parts/form.tsx'
import { List, nextOf, Pager } from '../parts/list.tsx'
import { reasonWords, whyOff } from '../parts/occurrence.tsx'
import { shellWord } from '../parts/shell-word.ts'
import { SourceFields, sourceForm, sourceOrder } from '../parts/source-fields.tsx'
import { Status, When } from '../parts/text.tsx'

type Schedule = Schemas['Schedule']

const COMING = 12

export const schedulesPage = page({
  path: '/dashboard/projects/{projectId}/schedules',
  query: z.strictObject({ agent_id: z.string().optional(), cursor: z.string().optional() }),
  async show({ api, params, query, request, ctx, member }) {
    const project_id = params.projectId
    const { data: schedules = [], response } = await api.GET('/v1/schedules', {
      params: { query: { project_id, ...defined(query) } },
    })
    const now = ctx.now()
    return {
      title: 'Schedules',
      project_id,
      menu: 'schedules',
      cli: 'assay schedules',
      live: query.cursor === undefined ? { every_s: 15 } : undefined,
      body: (
        <>
          <div class="head">
            <h1>Schedules</h1>
            {member.role !== 'viewer' && (
              <a class="button primary" href={ofProject(project_id, 'schedules/new')}>
                New schedule
              </a>
            )}
          </div>
          <List
            id="schedules"
            rows={schedules}
            href={one => ofSchedule(one.id)}
            columns={[
              {
                label: 'When',
                cell: one => (
                  <a href={ofSchedule(one.id)}>
                    <code>{one.cron}</code>
                  </a>
                ),
              },
              { label: 'Name', cell: one => one.name },
              { label: 'Zone', cell: one => one.timezone },
              { label: 'Starts', cell: one => one.agent_slug },
              { label: 'Next', cell: one => <Next of={one} now={now} /> },
              { label: 'Last moment', cell: one => <Last of={one} now={now} /> },
              { label: 'Declared', cell: one => (one.declared ? 'in code' : 'by hand') },
            ]}
            empty={<p>No schedule yet. Make one, or declare it above an agent: @schedule.</p>}
          />
          {query.agent_id && (
            <p>
              Only those of one agent. <a href={ofProject(project_id, 'schedules')}>Show all</a>
            </p>
          )}
          <Pager request={request} next={nextOf(response)} />
          {schedules.length > 0 && (
            <>
              <h2>Coming up</h2>
              <ComingUp schedules={schedules} now={now} />
            </>
          )}
        </>
      ),
    }
  },
})

const Next = ({ of, now }: { of: Schedule; now: number }) =>
  of.enabled ? (
    <When at={of.next_fires[0] ?? null} now={now} />
  ) : (
    <span class="status s-disabled">{whyOff(of.disabled_reason)}</span>
  )

const Last = ({ of: { last_event: last }, now }: { of: Schedule; now: number }) =>
  last === null ? (
    <span class="dim">none yet</span>
  ) : (
    <>
      <Status of={last.outcome} /> <When at={last.scheduled_for} now={now} />
      {last.outcome !== 'fired' && <div class="dim">{reasonWords(last.reason)}</div>}
    </>
  )

const ComingUp = ({ schedules, now }: { schedules: readonly Schedule[]; now: number }) => {
  const fires = schedules.flatMap(schedule => schedule.next_fires.map(at => ({ at, schedule })))
  fires.sort((a, b) => (a.at < b.at ? -1 : 1))
  return (
    <List
      id="coming"
      rows={fires.slice(0, COMING)}
      columns={[
        {
          label: 'At',
          cell: ({ at }) => (
            <time datetime={at} data-absolute>{`${at.slice(0, 16).replace('T', ' ')} UTC`}</time>
          ),
        },
        { label: 'In', cell: ({ at }) => <When at={at} now={now} /> },
        {
          label: 'Starts',
          cell: ({ schedule }) => <a href={ofSchedule(schedule.id)}>{schedule.agent_slug}</a>,
        },
        { label: 'By', cell: ({ schedule }) => <code>{schedule.cron}</code> },
      ]}
      empty={<p>Nothing: every schedule is paused.</p>}
    />
  )
}

export const newSchedulePage = page({
  path: '/dashboard/projects/{projectId}/schedules/new',
  least: 'operator',
  query: z.strictObject({
    agent_id: z.string().optional(),
    cron: z.string().optional(),
    timezone: z.string().optional(),
    name: z.string().optional(),
    input: z.string().optional(),
    budget_usd: z.string().optional(),
    results_url: z.string().optional(),
    results_format: z.string().optional(),
    allow_unpriced: z.string().optional(),
    source_url: z.string().optional(),
    generator: z.string().optional(),
    format: z.string().optional(),
    item_id: z.string().optional(),
    partition_key: z.string().optional(),
    headers: z.string().optional(),
  }),
  show: visit => newScheduleView(visit, visit.query),
})

/** The form as it was filled in, and when that fires. */
async function newScheduleView(
  { api, params, ctx }: Visit<{ projectId: string }>,
  query: Entered,
): Promise<View> {
  const project_id = params.projectId
  const { cron, timezone = 'UTC' } = query
  const [{ data: agents = [] }, preview] = await Promise.all([
    api.GET('/v1/agents', { params: { query: { project_id } } }),
    cron
      ? api
          .GET('/v1/schedules/preview', { params: { query: { cron, timezone } } })
          .then(answer => answer.data!, refusalOf)
      : undefined,
  ])
  const isReadable = preview !== undefined && 'moments' in preview
  return {
    title: 'New schedule',
    project_id,
    menu: 'schedules',
    cli: `assay schedules create AGENT ${shellWord(cron ?? '0 6 * * 1-5')} --timezone ${shellWord(timezone)}`,
    body: (
      <>
        <h1>New schedule</h1>
        <form class="stack" method="get" action={ofProject(project_id, 'schedules/new')}>
          <Field label="Starts">
            <select name="agent_id" required>
              {agents.map(agent => (
                <option value={agent.id} selected={agent.id === query.agent_id}>
                  {agent.slug}
                </option>
              ))}
            </select>
          </Field>
          <Field
            label="Cron"
            hint="Minute, hour, day of the month, month, day of the week; on the wall clock of the zone."
          >
            <input name="cron" value={cron ?? ''} required placeholder="0 6 * * 1-5" />
          </Field>
          <Field label="Time zone" hint="A name of the IANA database.">
            <input name="timezone" value={timezone} required list="zones" />
          </Field>
          <datalist id="zones">
            {Intl.supportedValuesOf('timeZone').map(zone => (
              <option value={zone} />
            ))}
          </datalist>
          <Field label="Name" hint="What people call it, and its runs.">
            <input name="name" value={query.name ?? ''} />
          </Field>
          <Field label="Input" hint="JSON; each fire is one run over one item with this input.">
            <textarea name="input" spellcheck={false}>
              {query.input ?? 'null'}
            </textarea>
          </Field>
          <SourceFields
            open={Boolean(query.source_url || query.generator)}
            source={{
              url: query.source_url ?? '',
              generator: query.generator ?? '',
              format: (query.format ?? 'ndjson') as 'ndjson',
              item_id: query.item_id ?? null,
              partition_key: query.partition_key ?? null,
            }}
          />
          <Field label="Budget of each run in dollars" hint="Empty is no bound.">
            <input name="budget_usd" inputmode="decimal" value={query.budget_usd ?? ''} />
          </Field>
          <AllowUnpriced checked={query.allow_unpriced !== undefined} />
          <ResultsFields url={query.results_url} format={query.results_format} />
          <div class="actions">
            <button class={isReadable ? '' : 'primary'}>Show when it fires</button>
            {isReadable && (
              <button class="primary" formmethod="post" formaction={ofProject(project_id, 'schedules')}>
                Make the schedule
              </button>
            )}
          </div>
        </form>
        {preview && !('moments' in preview) && (
          <div class="notice refused" role="alert">
            <p>
              {preview.message} <span class="dim">{preview.hint}</span>
            </p>
          </div>
        )}
        {isReadable && (
          <>
            <h2>It fires</h2>
            <Moments moments={preview.moments} now={ctx.now()} />
          </>
        )}
      </>
    ),
  }
}

/** What is wrong with the expression is told beside the form. */
const refusalOf = (error: Error & { hint?: string }) => ({ message: error.message, hint: error.hint })

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

export const scheduleForm = {
  name: z.string().default(''),
  cron: z.string(),
  timezone: z.string(),
  input: jsonText,
  budget_usd: dollars,
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
  const { budget_usd: budget_cents, input, name, cron, timezone, ...others } = filled
  const { results_url: url, results_format: format, allow_unpriced: allowed, ...rest } = others
  const results = url === '' ? null : { url, format }
  const source = sourceOrder(rest)
  const texts: Record<string, string> = source === null ? { input } : {}
  const money = { budget_cents, allow_unpriced: allowed !== undefined }
  return { fields: { name: name || null, cron, timezone, ...money, source, results }, texts }
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

export const createSchedule = action({
  path: '/dashboard/projects/{projectId}/schedules',
  least: 'operator',
  form: z.strictObject({ agent_id: z.string(), ...scheduleForm }),
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
