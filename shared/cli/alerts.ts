// The commands about alerts.

import { setTimeout as delay } from 'node:timers/promises'
import { ALERT_RULES, type AlertRule, type ChannelDigest } from '../alerts/vocabulary.ts'
import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { ChannelFormat } from '../outbox/vocabulary.ts'
import type { Schemas } from '../sdk/client.ts'
import { type Api, answered, findAgent } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { ago, clean, wrap } from './format.ts'
import { printList } from './listing.ts'
import type { Screen } from './output.ts'
import { BY_ID, bodyPageOf, inFull } from './pages.ts'
import { projectOf } from './projects.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Alert = Schemas['Alert']

const RULES: Column<Schemas['AlertRule']>[] = [
  { title: 'RULE', value: row => row.rule },
  { title: 'AGENT', value: row => row.agent_id ?? 'all', optional: 2 },
  {
    title: 'ALERTS',
    value: row => (row.enabled ? 'yes' : 'no'),
    style: row => (row.enabled ? undefined : 'dim'),
  },
  {
    title: 'BOUNDS',
    value: row =>
      Object.entries(row.bounds)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
  },
  { title: 'WHAT IT WATCHES', value: row => row.about, least: 60 },
]
const CHANNELS: Column<Schemas['AlertChannel']>[] = [
  { title: 'URL', value: row => row.url, least: 20 },
  { title: 'FORMAT', value: row => row.format },
  { title: 'DIGESTS', value: row => row.digest },
  { title: 'ID', value: row => row.id },
]

export async function alerts(session: Session, given: Given): Promise<ExitCode> {
  const { api, now } = session
  const agent = given.text('agent')
  const rule = given.text('rule')
  const filter = defined({
    state: given.flag('open') ? ('open' as const) : undefined,
    rule: rule && known(rule),
    agent_id: agent && (await findAgent(api, agent)).id,
  })
  return printList<Alert>(session, given, {
    event: 'alert',
    empty: 'no alerts',
    page: LIMITS.alerts_page.max,
    read: page =>
      bodyPageOf(api.GET('/v1/alerts', { params: { query: { ...filter, ...page } } }), found => found.alerts),
    ...BY_ID,
    text: (rows, screen) => rows.map(row => alertText(row, now(), screen)).join('\n\n'),
    inBlocks: true,
  })
}

/** An alert as text: its rule and age, its message, the advice, and the command that follows it. */
export function alertText(alert: Alert, now: number, { columns, paint, program }: Screen): string {
  const { resolved_at } = alert
  const state = resolved_at === null ? '' : paint('green', `  resolved ${ago(resolved_at, now)}`)
  const head = `${paint(resolved_at === null ? 'red' : 'dim', alert.rule)}  ${paint('dim', ago(alert.created_at, now))}${state}`
  const lines = [alert.message, alert.advice].flatMap(text => wrap(clean(text), columns - INDENT.length))
  const command = paint('cyan', clean(alert.command.replaceAll(/\bassay\b(?= )/g, program)))
  return [head, ...lines.map(line => INDENT + line), `${INDENT}${command}`].join('\n')
}

const INDENT = '  '

export async function rules({ api, output }: Session, given: Given): Promise<void> {
  const path = await projectOf({ api }, given)
  const rows = await answered(api.GET('/v1/projects/{projectId}/alert-rules', { params: { path } }))
  output.rows('alert_rule', rows, screen => table(RULES, rows, screen))
}

export const mute = (session: Session, given: Given) => setRule(session, given, { enabled: false })

export async function unmute(session: Session, given: Given): Promise<void> {
  const bounds = given.list('bound').map(text => {
    const [, name, value] = /^(\w+)=(\d+(?:\.\d+)?)$/.exec(text) ?? []
    if (name === undefined) throw usageFailure(`--bound is "${text}"; it must look like share=0.5`)
    return [name, Number(value)] as const
  })
  return setRule(session, given, {
    enabled: true,
    ...(bounds.length > 0 && { bounds: Object.fromEntries(bounds) }),
  })
}

async function setRule(
  { api, output }: Session,
  given: Given,
  change: { enabled: boolean; bounds?: Record<string, number> },
): Promise<void> {
  const rule = known(given.arg(0))
  const path = await projectOf({ api }, given)
  const agent = given.text('agent')
  const of = defined({ agent_id: agent && (await findAgent(api, agent)).id })
  const body = { rule, ...of, ...change }
  const rows = await answered(api.PATCH('/v1/projects/{projectId}/alert-rules', { params: { path }, body }))
  output.rows('alert_rule', rows, screen => table(RULES, rows, screen))
}

function known(name: string): AlertRule {
  const rule = ALERT_RULES.find(rule => rule === name)
  if (rule !== undefined) return rule
  throw usageFailure(`there is no rule "${name}"`, { hint: `there are: ${ALERT_RULES.join(', ')}` })
}

export async function channels(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const path = await projectOf(session, given)
  const [url, channelId] = [given.text('add'), given.text('remove')]
  if (url !== undefined && channelId !== undefined) throw usageFailure('--add and --remove are two commands')
  if (url !== undefined) {
    const format = given.text('format') as ChannelFormat | undefined
    const digest = given.text('digest') as ChannelDigest | undefined
    const body = { url, ...defined({ format, digest }) }
    const before = await channelsOf(api, path)
    const made = await answered(
      api.POST('/v1/projects/{projectId}/alert-channels', { params: { path }, body }),
    )
    const known = before.some(({ id }) => id === made.id) ? ' from now on; it was a channel already' : ''
    output.emit('alert_channel_added', made, ({ paint, program }) =>
      [
        `alerts go to ${clean(made.url)} as ${made.format}, digests: ${made.digest}${known}`,
        `${paint('dim', 'try ')}  ${program} alerts test ${made.id}`,
      ].join('\n'),
    )
    return EXIT.ok
  }
  if (channelId !== undefined) {
    const gone = await answered(
      api.DELETE('/v1/projects/{projectId}/alert-channels/{channelId}', {
        params: { path: { ...path, channelId } },
      }),
    )
    output.emit('alert_channel_removed', gone, () => `alerts go to ${clean(gone.url)} no more`)
    return EXIT.ok
  }
  return printList<Schemas['AlertChannel']>(session, given, {
    event: 'alert_channel',
    noun: 'channel',
    empty: 'alerts are listed here and go nowhere; --add URL sends them',
    ...inFull(() => channelsOf(api, path)),
    ...BY_ID,
    text: (rows, screen) => table(CHANNELS, rows, screen),
  })
}

const channelsOf = (api: Api, path: { projectId: string }) =>
  answered(api.GET('/v1/projects/{projectId}/alert-channels', { params: { path } }))

/** Sends a test message and waits for the result of its first attempt. */
export async function test({ api, output }: Session, given: Given): Promise<ExitCode> {
  const path = { ...(await projectOf({ api }, given)), channelId: given.arg(0) }
  const { delivery_id } = await answered(
    api.POST('/v1/projects/{projectId}/alert-channels/{channelId}/test', { params: { path } }),
  )
  const read = () =>
    answered(api.GET('/v1/deliveries/{deliveryId}', { params: { path: { deliveryId: delivery_id } } }))
  const end = Date.now() + LIMITS.channel_test_ms
  let found = await read()
  while (found.state === 'pending' && found.last_error === null && Date.now() < end) {
    await delay(LIMITS.channel_test_poll_ms)
    found = await read()
  }
  output.emit('alert_channel_tested', found, ({ paint, program }) => {
    const said =
      found.state === 'delivered'
        ? paint('green', 'taken')
        : paint('red', clean(found.last_error ?? 'no answer yet'))
    return `${clean(found.url)}: ${said}\n${paint('dim', 'try ')}  ${program} deliveries show ${delivery_id}`
  })
  return found.state === 'delivered' ? EXIT.ok : EXIT.api
}
