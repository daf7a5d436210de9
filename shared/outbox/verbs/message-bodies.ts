// Composes messages when they are first tried. Guarantee: a body is made once and sent unchanged in every try; a
// message reports its subject as it was when the message was queued.

import {
  countToDecide,
  findCorrections,
  findDigests,
  findItemsWaiting,
} from '../../alerts/queries/digests.ts'
import { alertMessage, resolvedMessage, testMessage } from '../../alerts/rules/alert-message.ts'
import {
  corrected,
  type DigestCause,
  type DigestRun,
  digestMessage,
  digestWords,
  runLinks,
} from '../../alerts/rules/digest.ts'
import type { Context } from '../../context.ts'
import { sayFailedRunCheck } from '../../grading/rules/run-checks.ts'
import { toJson } from '../../json/raw-json.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import { leftOver } from '../../recovery/rules/left-over.ts'
import { findTopCauses } from '../../triage/queries/causes.ts'
import { findProjectNames } from '../queries/channels.ts'
import type { HeldDelivery } from '../queries/deliveries.ts'
import { findReportedAlerts, findRunEnds } from '../queries/message-contents.ts'
import { isMailUrl, mailOf, slackOf, teamsOf } from '../rules/formats.ts'
import type { Message } from '../rules/message.ts'
import type { ChannelFormat } from '../vocabulary.ts'
import { alertRaisedOf, runFinishedOf } from '../wire/deliveries.ts'
import { alertResolvedOf, channelTestOf, type DigestEnd, runDigestOf } from '../wire/messages.ts'

/** Composes the bodies of messages that have none, and sets them. */
export async function putInWords(ctx: Context, held: readonly HeldDelivery[]): Promise<void> {
  if (held.length === 0) return
  const { sql, config } = ctx
  const of = (...kinds: HeldDelivery['kind'][]) => held.filter(one => kinds.includes(one.kind))
  const ids = (...kinds: HeldDelivery['kind'][]) => of(...kinds).map(one => one.id)
  const runs = await findRunEnds(sql, ids('run.finished'))
  const alerts = await findReportedAlerts(sql, ids('alert.raised', 'alert.resolved'))
  const digests = await findDigests(sql, ids('run.digest'))
  const tests = of('channel.test')
  const names = await findProjectNames(
    sql,
    tests.map(one => one.project_id),
  )
  const read = onceForEachRun(sql)
  for (const one of held) {
    const run = runs.get(one.id)
    const alert = alerts.get(one.id)
    const digest = digests.get(one.id)
    if (run) one.body = toJson(runFinishedOf(run, config.base_url))
    else if (alert && one.kind === 'alert.resolved')
      one.body = formatted(one, resolvedMessage(alert, config.base_url), () => alertResolvedOf(alert))
    else if (alert)
      one.body = formatted(one, alertMessage(alert, config.base_url), () => alertRaisedOf(alert))
    else if (digest) one.body = digestBody(config.base_url, one, digest, await read(digest))
    else if (one.kind === 'channel.test') {
      const message = testMessage(names.get(one.project_id) ?? 'this project')
      one.body = formatted(one, message, () =>
        channelTestOf(one.project_id, message.title, new Date(ctx.now())),
      )
    }
  }
}

/** The body in the format of the receiver; a mail's is the JSON of its parts. */
function formatted({ url, format }: HeldDelivery, message: Message, json: () => object): string {
  const formats: Readonly<Record<ChannelFormat, () => object>> = {
    json,
    slack: () => slackOf(message),
    teams: () => teamsOf(message),
    mail: () => mailOf(message),
  }
  return toJson(formats[isMailUrl(url) ? 'mail' : format]())
}

/** What digests of a run report of its triage. */
type DigestTriage = Awaited<ReturnType<typeof readTriage>>

/** Digests of one run go to several channels, and each would read all its items that did not work. */
function onceForEachRun(sql: Context['sql']) {
  const found = new Map<string, DigestTriage>()
  return async (end: DigestEnd): Promise<DigestTriage> => {
    const known = found.get(end.run.id) ?? (await readTriage(sql, end))
    found.set(end.run.id, known)
    return known
  }
}

async function readTriage(sql: Context['sql'], { run, previous }: DigestEnd) {
  const key = { project_id: run.project_id, run_id: run.id }
  const [causes, in_triage, waits] = await Promise.all([
    topCauses(sql, key),
    countToDecide(sql, key),
    findItemsWaiting(sql, run.project_id),
  ])
  const runIds = [run.id, ...(previous ? [previous.id] : [])]
  const left = { in_triage, items: leftOver({ ...run, undecided: in_triage }) }
  return { causes, left, waits, changed: await findCorrections(sql, run.project_id, runIds) }
}

function digestBody(
  base_url: string,
  one: HeldDelivery,
  end: DigestEnd,
  { causes, left, waits, changed }: DigestTriage,
): string {
  const correctedRun = (run: NonNullable<DigestEnd['previous']>): DigestRun => {
    const corrections = changed.find(({ run_id }) => run_id === run.id) ?? { to_ok: 0, to_degraded: 0 }
    return corrected({ ...run, cron: end.cron }, corrections)
  }
  const run = correctedRun(end.run)
  const previous = end.previous && correctedRun(end.previous)
  const noticed = (end.run.answer_figures?.failed ?? []).map(sayFailedRunCheck)
  const digest = { run, previous, causes, left, noticed, waits, waited_for: end.waited_for_hosts }
  const links = runLinks(base_url, run.id)
  return formatted(one, digestMessage(digest, links), () =>
    runDigestOf(end, digestWords(digest), digest, links),
  )
}

async function topCauses(sql: Context['sql'], run: RunKey): Promise<DigestCause[]> {
  const causes = await findTopCauses(sql, run, LIMITS.digest_causes)
  return causes.map(({ title, count }) => ({
    cause: plainText(title, LIMITS.digest_cause_characters),
    items: count,
  }))
}
