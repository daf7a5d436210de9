// Shows what matters now on one screen. Guarantee: everything that needs a person comes with the next command to type.
// No part takes more lines than its bound, so that all fits 24 rows of 80 columns when little is wrong.

import { isHeld } from '../items/rules/lifecycle.ts'
import { sayItemsWait } from '../upstreams/rules/upstream-words.ts'
import { recoveryOf, sayStoppedShort } from '../view/left-over.ts'
import { runStanding } from '../view/run.ts'
import { type ItemsWait, sayRunWait } from '../view/upstream.ts'
import type { Run, Schemas } from './api.ts'
import { ago, ahead, clean, count, money, plural, shorten, spend, widthOf } from './format.ts'
import type { Screen, Style } from './output.ts'
import { progressLine } from './progress.ts'

/** A budget with its owner's name, the command that sets it, and the time zone of its days. */
export type OwnedBudget = Schemas['Budget'] & { of: string; command: string; timezone: string }

export interface Overview {
  /** Since when the installation is held, which it is after a restore; null if it is not. */
  held_since: string | null
  runs: Run[]
  /** Items that wait for a decision, by lane. */
  waiting: Record<'dlq' | 'quarantine', { count: number; more: boolean; oldest_at: string | null }>
  /** Causes of the items that came since yesterday and wait for a decision. */
  causes: Schemas['Cause'][]
  /** Runs that were stopped since yesterday, with items left that are in no triage. */
  stopped: Run[]
  money: {
    today_usd: number
    unpriced: boolean
    /** Null if there is no run yet. */
    prices_as_of: string | null
    spent_cents: number
    credit_cents: number | null
    /** Budgets by day and month of projects and agents. */
    budgets: OwnedBudget[]
  }
  schedules: { missed: Schemas['Schedule'][]; next: { schedule: Schemas['Schedule']; at: string }[] }
  given_up: { count: number; more: boolean; newest: Schemas['Delivery'] | null }
  /** Alerts that are not resolved. */
  alerts: Schemas['Alert'][]
  /** Items that wait for providers or agents that serve nobody. */
  items_wait: ItemsWait[]
  /** How many agents exist, and whether any run was ever started. */
  started: { agents: number; runs: boolean }
}

const MOST = { runs: 4, stopped: 2, causes: 4, alerts: 2, upstreams: 2, schedules: 2, budgets: 3 }
const UNKNOWN_PACE = { per_second: null, left_ms: null }
const LABEL_COLUMNS = 11
const NAME_COLUMNS = 30
/** On a wider screen the eye would lose the line between the text and the command. */
const MOST_COLUMNS = 100

export function overviewText(found: Overview, now: number, screen: Screen): string {
  const parts = [
    heldPart(found, now, screen),
    runsPart(found, now, screen),
    upstreamsPart(found, screen),
    waitingPart(found, now, screen),
    stoppedPart(found, screen),
    causesPart(found, screen),
    alertsPart(found, now, screen),
    deliveriesPart(found, now, screen),
    schedulesPart(found, now, screen),
    moneyPart(found, now, screen),
  ]
  const first = found.started.runs ? [] : beginning(found, screen)
  return [...parts.flat(), ...first].join('\n')
}

/** A labelled line with the next command at its end, or on the line below if it does not fit. */
function line(label: string, text: string, next: string | undefined, screen: Screen): string[] {
  const { paint, columns, program } = screen
  const head = `${paint('bold', label.padEnd(LABEL_COLUMNS))}${text}`
  if (next === undefined) return [head]
  const command = paint('cyan', `${program} ${next}`)
  const room = Math.min(columns, MOST_COLUMNS) - widthOf(head) - widthOf(command)
  return room >= 2 ? [`${head}${' '.repeat(room)}${command}`] : [head, indented(command)]
}

const indented = (text: string) => ' '.repeat(LABEL_COLUMNS) + text

const further = (all: number, most: number, noun: string, { paint }: Screen) =>
  all > most ? [indented(paint('dim', `and ${plural(all - most, noun)} more`))] : []

function heldPart({ held_since }: Overview, now: number, screen: Screen): string[] {
  if (held_since === null) return []
  const text = `restored ${ago(held_since, now)}: nothing is dispatched, fired or sent`
  return line('held', screen.paint('red', text), 'admin go-on', screen)
}

function runsPart({ runs }: Overview, now: number, screen: Screen): string[] {
  const moving = runs.filter(run => !isHeld(run))
  if (moving.length === 0) return line('runs', screen.paint('dim', 'none in flight'), undefined, screen)
  const shown = moving.slice(0, MOST.runs).flatMap(run => {
    const name = screen.paint('bold', shorten(clean(run.name ?? run.agent_slug), NAME_COLUMNS))
    const since = screen.paint('dim', `${runStanding(run)}, ${ago(run.created_at, now)}`)
    const heads = [`  ${name}  ${run.id}  ${since}`, `  ${run.id}  ${since}`, `  ${run.id}`]
    const narrow = { ...screen, columns: screen.columns - 2 }
    return [
      heads.find(head => widthOf(head) <= screen.columns) ?? heads[2]!,
      `  ${progressLine(run, UNKNOWN_PACE, narrow)}`,
      // Older servers do not report it.
      ...(run.waits_for == null
        ? []
        : [`  ${screen.paint('yellow', shorten(clean(sayRunWait(run.waits_for, now)), narrow.columns))}`]),
    ]
  })
  return [
    ...line('runs', `${count(moving.length)} in flight`, 'runs --state open', screen),
    ...shown,
    ...further(moving.length, MOST.runs, 'run', screen),
  ]
}

function waitingPart({ waiting, runs }: Overview, now: number, screen: Screen): string[] {
  const { dlq, quarantine } = waiting
  const lane = ({ count: items, more }: typeof dlq) => `${count(items)}${more ? '+' : ''}`
  if (dlq.count + quarantine.count === 0)
    return line('to decide', screen.paint('dim', 'nothing waits for a decision'), undefined, screen)
  const since = [dlq, quarantine].flatMap(({ oldest_at }) => oldest_at ?? []).sort()[0]
  const text = [
    dlq.count > 0 && screen.paint('red', `${lane(dlq)} did not work`),
    quarantine.count > 0 && screen.paint('cyan', `${lane(quarantine)} held`),
    since !== undefined && screen.paint('dim', `oldest ${ago(since, now)}`),
  ]
  const held = runs.filter(isHeld).length
  return [
    ...line('to decide', text.filter(Boolean).join(', '), 'triage', screen),
    ...(held > 0
      ? [indented(screen.paint('dim', `${plural(held, 'run')} can only go on once you decide`))]
      : []),
  ]
}

function stoppedPart({ stopped }: Overview, screen: Screen): string[] {
  const shown = stopped.slice(0, MOST.stopped).flatMap(run => {
    const text = shorten(clean(sayStoppedShort(run)), screen.columns - LABEL_COLUMNS)
    return line('stopped', screen.paint('red', text), recoveryOf(run)?.command.replace(/^assay /, ''), screen)
  })
  return [...shown, ...further(stopped.length, MOST.stopped, 'stopped run', screen)]
}

function upstreamsPart({ items_wait }: Overview, screen: Screen): string[] {
  const shown = items_wait.slice(0, MOST.upstreams).flatMap(one => {
    const text = shorten(
      clean(sayItemsWait(one.items, one.upstream, one.more)),
      screen.columns - LABEL_COLUMNS,
    )
    return line('upstreams', screen.paint('yellow', text), 'upstreams', screen)
  })
  return [...shown, ...further(items_wait.length, MOST.upstreams, 'upstream', screen)]
}

function causesPart({ causes }: Overview, screen: Screen): string[] {
  if (causes.length === 0) return []
  const total = causes.reduce((sum, cause) => sum + cause.waiting, 0)
  const shown = causes.slice(0, MOST.causes).map(cause => {
    const amount = count(cause.waiting).padStart(LABEL_COLUMNS - 2)
    return `${screen.paint('red', amount)}  ${shorten(clean(cause.title), screen.columns - LABEL_COLUMNS)}`
  })
  return [
    ...line('causes', `of ${plural(total, 'item')} since yesterday`, 'causes --since 1d', screen),
    ...shown,
    ...further(causes.length, MOST.causes, 'cause', screen),
  ]
}

function alertsPart({ alerts }: Overview, now: number, screen: Screen): string[] {
  if (alerts.length === 0) return []
  const shown = alerts
    .slice(0, MOST.alerts)
    .map(alert =>
      indented(
        shorten(`${clean(alert.message)} (${ago(alert.created_at, now)})`, screen.columns - LABEL_COLUMNS),
      ),
    )
  const text = screen.paint('red', `${count(alerts.length)} open`)
  return [
    ...line('alerts', text, 'alerts --open', screen),
    ...shown,
    ...further(alerts.length, MOST.alerts, 'alert', screen),
  ]
}

function deliveriesPart({ given_up }: Overview, now: number, screen: Screen): string[] {
  const { count: messages, more, newest } = given_up
  if (newest === null) return []
  const text = `${count(messages)}${more ? '+' : ''} given up since yesterday, the last ${ago(newest.created_at, now)}`
  const why = clean(newest.last_error ?? `answered ${newest.last_status}`)
  return [
    ...line('callbacks', screen.paint('red', text), 'deliveries --failed', screen),
    indented(shorten(`${clean(newest.url)}: ${why}`, screen.columns - LABEL_COLUMNS)),
  ]
}

function schedulesPart({ schedules }: Overview, now: number, screen: Screen): string[] {
  const { missed, next } = schedules
  const went: Style = 'red'
  const shownMissed = missed.slice(0, MOST.schedules).flatMap(schedule => {
    const last = schedule.last_event!
    const text = `${clean(schedule.name ?? schedule.agent_slug)} ${last.outcome} its moment ${ago(last.scheduled_for, now)}`
    return line('missed', screen.paint(went, text), `schedules events ${schedule.id}`, screen)
  })
  const [soonest] = next
  if (soonest === undefined) return shownMissed
  const others = next.length > 1 ? `, and ${count(next.length - 1)} more within a day` : ''
  const text = `${clean(soonest.schedule.name ?? soonest.schedule.agent_slug)} ${ahead(soonest.at, now)}${others}`
  return [
    ...shownMissed,
    ...further(missed.length, MOST.schedules, 'missed schedule', screen),
    ...line('next', text, 'schedules', screen),
  ]
}

function moneyPart({ money: spent }: Overview, now: number, screen: Screen): string[] {
  const spentToday = `${spend(spent.today_usd, spent.unpriced)} by the runs of today`
  const list = spent.prices_as_of && `the list of ${spent.prices_as_of}`
  const today = [
    ...line('money', spentToday, undefined, screen),
    ...(list ? line('prices', list, 'prices', screen) : []),
  ]
  const budgets = budgetsPart(spent.budgets, now, screen)
  if (spent.credit_cents === null) return [...today, ...budgets]
  const share = spent.credit_cents === 0 ? 1 : spent.spent_cents / spent.credit_cents
  const style: Style = share >= 1 ? 'red' : share >= 0.8 ? 'yellow' : 'green'
  const credit = `${money(spent.spent_cents / 100)} of ${money(spent.credit_cents / 100)} spent`
  return [...today, ...line('credit', screen.paint(style, credit), 'projects', screen), ...budgets]
}

/** The budgets, those with the smallest share left first. */
function budgetsPart(budgets: readonly OwnedBudget[], now: number, screen: Screen): string[] {
  const share = ({ left_cents, limit_cents }: OwnedBudget) =>
    limit_cents === 0 ? 0 : left_cents / limit_cents
  const shown = budgets
    .toSorted((a, b) => share(a) - share(b))
    .slice(0, MOST.budgets)
    .flatMap(budget => {
      const { of, period, left_cents, limit_cents, ends_at, timezone, command } = budget
      const left = `${money(left_cents / 100)} of ${money(limit_cents / 100)} left`
      const style: Style = left_cents === 0 ? 'red' : share(budget) <= 0.2 ? 'yellow' : 'green'
      const anew = `the next ${ahead(ends_at, now)} (${timezone})`
      const text = `${clean(of)}, this ${period}: ${screen.paint(style, left)}, ${anew}`
      return line('budget', text, command, screen)
    })
  return [...shown, ...further(budgets.length, MOST.budgets, 'budget', screen)]
}

function beginning({ started }: Overview, { paint, program }: Screen): string[] {
  const words =
    started.agents === 0
      ? [
          'Nothing has been deployed yet. Begin with an agent of the examples:',
          `deploy examples/ticket-triage/agent.ts`,
        ]
      : ['Nothing has run yet:', 'agents']
  return ['', words[0]!, `  ${paint('cyan', `${program} ${words[1]}`)}`]
}
