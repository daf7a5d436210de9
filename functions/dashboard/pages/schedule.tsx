// One schedule: when it fires next, the result of every occurrence, and switching it on or off.

import * as z from 'zod'
import { fieldsOf } from '../../../shared/json/json.ts'
import { prettyJson } from '../../../shared/json/pretty-json.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import { namedText } from '../../../shared/pacing/rules/named-limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { isLate, sayEnding } from '../../../shared/view/estimate.ts'
import { checkBudget } from '../parts/agent-budget.ts'
import { checkInput } from '../parts/agent-input.ts'
import { allFaults } from '../parts/all-faults.ts'
import { Facts } from '../parts/facts.tsx'
import { RoleRequired, Sure } from '../parts/form.tsx'
import { nextOf, Pager } from '../parts/list.tsx'
import { scheduleName, whyOff } from '../parts/occurrence.tsx'
import { AROUND } from '../parts/record.ts'
import {
  asItIs,
  type ScheduleEntered,
  ScheduleFields,
  scheduleBody,
  scheduleForm,
  typedIn,
} from '../parts/schedule-form.tsx'
import { History } from '../parts/schedule-history.tsx'
import { clockChecks, Moments } from '../parts/schedule-moments.tsx'
import { startFacts } from '../parts/start-fields.tsx'
import { Tags } from '../parts/tags.tsx'
import { cents, When } from '../parts/text.tsx'
import { ofItem, ofProject, ofRun, ofSchedule } from '../shell/addresses.ts'
import { bodyText } from '../shell/form-values.ts'
import { action, type Entered, page, type View, type Visit } from '../shell/page.ts'

type Schedule = Schemas['Schedule']

export const schedulePage = page({
  path: '/dashboard/schedules/{scheduleId}',
  query: z.strictObject({ cursor: z.string().optional() }),
  show: visit => scheduleView(visit, visit.query),
})

/** The schedule's page; a refused form keeps what was entered. */
async function scheduleView(
  { api, params, request, now, mayChange }: Visit<{ scheduleId: string }>,
  query: { cursor?: string | undefined },
  entered?: Entered,
): Promise<View> {
  const { schedule, input, events, moments, next } = await readSchedule(api, params.scheduleId, query)
  const { timezone } = schedule
  const filled = entered === undefined ? asItIs(schedule, input) : typedIn(entered)
  return {
    title: scheduleName(schedule),
    project_id: schedule.project_id,
    menu: 'schedules',
    cli: `assay schedules events ${schedule.id}`,
    live: query.cursor === undefined ? { every_s: 10 } : undefined,
    body: (
      <>
        <Head schedule={schedule} mayChange={mayChange} now={now} />
        <h2>History</h2>
        <History events={events} agent_id={schedule.agent_id} timezone={timezone} now={now} />
        <Pager request={request} next={next} />
        {schedule.enabled && moments && (
          <>
            <h2>Next runs</h2>
            <Moments moments={moments} timezone={timezone} now={now} />
          </>
        )}
        {mayChange ? (
          <Changes schedule={schedule} filled={filled} open={entered !== undefined} />
        ) : (
          <Settings schedule={schedule} input={input} />
        )}
      </>
    ),
  }
}

async function readSchedule(api: Client, scheduleId: string, query: { cursor?: string | undefined }) {
  const path = { scheduleId }
  const [{ data: text = '' }, { data: events = [], response }] = await Promise.all([
    api.GET('/v1/schedules/{scheduleId}', { params: { path }, parseAs: 'text' }),
    api.GET('/v1/schedules/{scheduleId}/events', {
      params: { path, query: { ...defined(query), limit: 50 } },
    }),
  ])
  const schedule: Schedule = JSON.parse(text)
  // The input as stored, so that its numbers keep their digits when the form is sent back.
  const input = prettyJson(fieldsOf(text, AROUND).get('input')!)
  const { cron, timezone } = schedule
  // A cron that cannot be parsed has no occurrences to show; the reason why the schedule is off says so.
  const preview = await api
    .GET('/v1/schedules/preview', { params: { query: { cron, timezone } } })
    .catch(() => undefined)
  return { schedule, input, events, moments: preview?.data?.moments, next: nextOf(response) }
}

const Head = ({ schedule, mayChange, now }: { schedule: Schedule; mayChange: boolean; now: number }) => (
  <div class="head">
    <div>
      <h1>{scheduleName(schedule)}</h1>
      <p id="schedule-state" data-live>
        Starts {schedule.agent_slug} at <code>{schedule.cron}</code> in {schedule.timezone} ·{' '}
        {schedule.enabled ? (
          <>
            next <When at={schedule.next_fires[0] ?? null} now={now} />
          </>
        ) : (
          <span class="status s-disabled">{whyOff(schedule.disabled_reason)}</span>
        )}{' '}
        · {schedule.budget_cents === null ? 'no budget' : `${cents(schedule.budget_cents)} a run`} ·{' '}
        {schedule.declared ? 'declared in code' : 'made by hand'}
      </p>
      <Ending schedule={schedule} now={now} />
      {schedule.source && <Reads source={schedule.source} />}
      {schedule.results && (
        <p>
          Sends the results of each run to <code>{schedule.results.url}</code> ({schedule.results.format})
        </p>
      )}
      {schedule.tags.length > 0 && (
        <p class="tags">
          Tags its runs with <Tags of={schedule} />
        </p>
      )}
    </div>
    {mayChange && (
      <div class="actions">
        <form method="post" action={ofSchedule(schedule.id, schedule.enabled ? 'disable' : 'enable')}>
          <button data-key="p">{schedule.enabled ? 'Pause' : 'Resume'}</button>
        </form>
        <form method="post" action={ofSchedule(schedule.id, 'run')}>
          <button class="primary" data-key="r" data-asks>
            Run now
          </button>
        </form>
        <Sure
          label="Delete"
          consequence="It fires no more. Runs it started stay."
          action={ofSchedule(schedule.id, 'delete')}
        />
      </div>
    )}
  </div>
)

const Ending = ({ schedule: { ending, timezone }, now }: { schedule: Schedule; now: number }) =>
  ending === undefined ? null : (
    <p id="schedule-ending" data-live class={isLate(ending) ? 'v-degraded' : undefined}>
      {ending.run_id === null ? 'Its run:' : <a href={ofRun(ending.run_id)}>Its run</a>}{' '}
      {sayEnding(ending, timezone, now)}
    </p>
  )

const Reads = ({
  source: { url, format, generator, item_id, partition_key },
}: {
  source: Schemas['Source']
}) => (
  <p>
    {url === null ? (
      <>
        Its items are made by <code>{generator}</code> of its agent
      </>
    ) : (
      <>
        Reads its items from <code>{url}</code> ({format})
      </>
    )}
    ; item ids {item_id === null ? 'are given by Assay' : <FromField name={item_id} />}
    {partition_key !== null && (
      <>
        , partitions <FromField name={partition_key} />
      </>
    )}
  </p>
)

const FromField = ({ name }: { name: string }) => (
  <>
    from field <code>{name}</code>
  </>
)

const Changes = ({
  schedule,
  filled,
  open,
}: {
  schedule: Schedule
  filled: ScheduleEntered
  open: boolean
}) => (
  <details open={open}>
    <summary>Change it</summary>
    {schedule.declared && (
      <p class="dim">
        It is declared in the agent's code. The next deploy sets back what the code says of it, and where its
        cron is another one, deletes it and makes a new one.
      </p>
    )}
    <form class="stack" method="post" action={ofSchedule(schedule.id)} novalidate>
      <ScheduleFields entered={filled} />
      <div>
        <button class="primary">Save</button>
      </div>
    </form>
  </details>
)

const Settings = ({ schedule, input }: { schedule: Schedule; input: string }) => (
  <>
    <h2>Settings</h2>
    <RoleRequired least="operator" />
    <Facts
      of={{
        Input: schedule.source === null && <code>{input}</code>,
        ...startFacts(schedule),
        'Limits while its runs work': schedule.limits?.map(limits => <div>{namedText(limits)}</div>),
      }}
    />
  </>
)

export const changeSchedule = action({
  path: '/dashboard/schedules/{scheduleId}',
  least: 'operator',
  form: z.strictObject(scheduleForm),
  again: (visit, entered) => scheduleView(visit, {}, entered),
  async act({ api, params }, filled) {
    const { data } = await api.GET('/v1/schedules/{scheduleId}', { params: { path: params } })
    await allFaults(filled, [...clockChecks(api, filled), checkInput(api, data!.agent_id, filled)])
    const { fields, texts } = scheduleBody(filled)
    await checkBudget(api, { agent_id: data!.agent_id, ...fields })
    await api.PATCH('/v1/schedules/{scheduleId}', {
      params: { path: params },
      body: fields,
      bodySerializer: body => bodyText(body, texts),
    })
    return { to: ofSchedule(params.scheduleId), said: 'Saved; it counts from the very next moment on.' }
  },
})

export const enableSchedule = action({
  path: '/dashboard/schedules/{scheduleId}/enable',
  async act({ api, params }) {
    await api.POST('/v1/schedules/{scheduleId}/enable', { params: { path: params } })
    return { to: ofSchedule(params.scheduleId), said: 'It fires again.' }
  },
})

export const disableSchedule = action({
  path: '/dashboard/schedules/{scheduleId}/disable',
  async act({ api, params }) {
    await api.POST('/v1/schedules/{scheduleId}/disable', { params: { path: params } })
    const to = ofSchedule(params.scheduleId)
    return { to, said: 'It is paused.', undo: { action: `${to}/enable`, fields: {} } }
  },
})

export const runSchedule = action({
  path: '/dashboard/schedules/{scheduleId}/run',
  async act({ api, params }) {
    const { data } = await api.POST('/v1/schedules/{scheduleId}/trigger', { params: { path: params } })
    const { data: schedule } = await api.GET('/v1/schedules/{scheduleId}', { params: { path: params } })
    const to = schedule!.source === null ? ofItem(data!.record_id) : ofRun(data!.run_id)
    return { to, said: 'Started by hand; its next moment stays as it is.' }
  },
})

export const deleteSchedule = action({
  path: '/dashboard/schedules/{scheduleId}/delete',
  async act({ api, params }) {
    const { data } = await api.GET('/v1/schedules/{scheduleId}', { params: { path: params } })
    await api.DELETE('/v1/schedules/{scheduleId}', { params: { path: params } })
    return { to: ofProject(data!.project_id, 'schedules'), said: 'The schedule is deleted.' }
  },
})
