// One schedule: when it fires next, what became of every moment, and its switch.

import * as z from 'zod'
import { fieldsOf } from '../../../shared/kernel/json.ts'
import { prettyJson } from '../../../shared/kernel/pretty-json.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { Sure } from '../parts/form.tsx'
import { List, nextOf, Pager } from '../parts/list.tsx'
import { reasonWords, Strip, whyOff } from '../parts/occurrence.tsx'
import { AROUND } from '../parts/record.ts'
import { ScheduleFields, scheduleBody, scheduleForm } from '../parts/schedule-form.tsx'
import { Moments } from '../parts/schedule-moments.tsx'
import { cents, Status, When } from '../parts/text.tsx'
import { ofItem, ofProject, ofRun, ofSchedule } from '../shell/addresses.ts'
import { defined } from '../shell/defined.ts'
import { bodyText } from '../shell/form-values.ts'
import { action, page } from '../shell/page.ts'

type Schedule = Schemas['Schedule']

export const schedulePage = page({
  path: '/dashboard/schedules/{scheduleId}',
  query: z.strictObject({ cursor: z.string().optional() }),
  async show({ api, params, query, request, member, ctx }) {
    const [{ data: text = '' }, { data: events = [], response }] = await Promise.all([
      api.GET('/v1/schedules/{scheduleId}', { params: { path: params }, parseAs: 'text' }),
      api.GET('/v1/schedules/{scheduleId}/events', {
        params: { path: params, query: { ...defined(query), limit: 50 } },
      }),
    ])
    const schedule: Schedule = JSON.parse(text)
    // As it was kept, so that a form sent back leaves its numbers their digits.
    const input = prettyJson(fieldsOf(text, AROUND).get('input')!)
    const { cron, timezone } = schedule
    // One that cannot be read has no moments to show; why it is off says so.
    const preview = await api
      .GET('/v1/schedules/preview', { params: { query: { cron, timezone } } })
      .catch(() => undefined)
    const now = ctx.now()
    return {
      title: `${schedule.agent_slug} at ${cron}`,
      project_id: schedule.project_id,
      menu: 'schedules',
      cli: `assay schedules events ${schedule.id}`,
      live: query.cursor === undefined ? { every_s: 10 } : undefined,
      body: (
        <>
          <Head schedule={schedule} mayChange={member.role !== 'viewer'} now={now} />
          <h2>History</h2>
          <Strip id="strip" events={events} />
          <List
            id="events"
            rows={events}
            columns={[
              {
                label: 'Scheduled for',
                cell: one => (
                  <time datetime={one.scheduled_for} data-absolute>
                    {`${one.scheduled_for.slice(0, 16).replace('T', ' ')} UTC`}
                  </time>
                ),
              },
              { label: 'Outcome', cell: one => <Status of={one.outcome} /> },
              { label: 'Why', cell: one => <Why of={one} /> },
              { label: 'Run', cell: one => one.run_id && <a href={ofRun(one.run_id)}>its run</a> },
              { label: 'Acted', numeric: true, cell: one => <When at={one.occurred_at} now={now} /> },
            ]}
            empty={<p>It has not fired yet.</p>}
          />
          <Pager request={request} next={nextOf(response)} />
          {schedule.enabled && preview?.data && (
            <>
              <h2>Next runs</h2>
              <Moments moments={preview.data.moments} now={now} />
            </>
          )}
          {member.role !== 'viewer' && <Changes schedule={schedule} input={input} />}
        </>
      ),
    }
  },
})

const Why = ({ of: { reason, detail } }: { of: Schemas['ScheduleEvent'] }) => (
  <>
    {reasonWords(reason)}
    {detail && (
      <div class="trouble">
        {detail.line !== null && `Line ${detail.line}: `}
        {detail.text}
      </div>
    )}
  </>
)

const Head = ({ schedule, mayChange, now }: { schedule: Schedule; mayChange: boolean; now: number }) => (
  <div class="head">
    <div>
      <h1>
        {schedule.name ?? schedule.agent_slug} at <code>{schedule.cron}</code>
      </h1>
      <p id="schedule-state" data-live>
        {schedule.timezone} ·{' '}
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
      {schedule.source && <Reads source={schedule.source} />}
      {schedule.results && (
        <p>
          Sends the results of each run to <code>{schedule.results.url}</code> ({schedule.results.format})
        </p>
      )}
    </div>
    {mayChange && (
      <div class="actions">
        <form method="post" action={ofSchedule(schedule.id, schedule.enabled ? 'disable' : 'enable')}>
          <button data-key="p">{schedule.enabled ? 'Pause' : 'Resume'}</button>
        </form>
        <form method="post" action={ofSchedule(schedule.id, 'run')}>
          <button class="primary" data-key="r">
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

const Reads = ({ source: { url, format, generator } }: { source: Schemas['Source'] }) =>
  url === null ? (
    <p>
      Its items are made by <code>{generator}</code> of its agent
    </p>
  ) : (
    <p>
      Reads its items from <code>{url}</code> ({format})
    </p>
  )

const Changes = ({ schedule, input }: { schedule: Schedule; input: string }) => (
  <details>
    <summary>Change it</summary>
    {schedule.declared && (
      <p class="dim">It is declared in the agent's code: the next deploy sets it back.</p>
    )}
    <form class="stack" method="post" action={ofSchedule(schedule.id)}>
      <ScheduleFields entered={asItIs(schedule, input)} />
      <div>
        <button class="primary">Save</button>
      </div>
    </form>
  </details>
)

const asItIs = (schedule: Schedule, input: string) => ({
  ...{ name: schedule.name ?? '', cron: schedule.cron, timezone: schedule.timezone, input },
  source: schedule.source,
  has_source: schedule.source !== null,
  budget_usd: schedule.budget_cents === null ? '' : (schedule.budget_cents / 100).toFixed(2),
  allow_unpriced: schedule.allow_unpriced,
  pilot_items: schedule.pilot_items?.toString(),
  callback_url: schedule.callback_url ?? '',
  results_url: schedule.results?.url,
  results_format: schedule.results?.format,
})

export const changeSchedule = action({
  path: '/dashboard/schedules/{scheduleId}',
  form: z.strictObject(scheduleForm),
  async act({ api, params }, filled) {
    const { fields, texts } = scheduleBody(filled)
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
