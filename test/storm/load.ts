// What callers do during a round: they submit in every form there is, cancel, replay and recover. Guarantee: the seed
// determines what they do in which order; the ledger records the answers.

import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../../shared/context.ts'
import { itemRecordId } from '../../shared/kernel/ids.ts'
import { type Answer, type Caller, isClear } from './caller.ts'
import type { Installation } from './installation.ts'
import { type Entry, itemNameOf, type Ledger } from './ledger.ts'
import { BY_SCHEDULE, doingOf, inputOf, MANNERS } from './payloads.ts'
import { type Random, randomFrom } from './random.ts'

const CALLERS = 4
const PAUSE_MS = { min: 20, max: 160 } // between two calls of a caller
const ITEMS = { json: 150, lines: 700 } // at most, in a batch
const TENANTS = 4
const CAP = { min: 2, max: 40 } // `concurrency` of a run that has one

export interface Load {
  installation: Installation
  ledger: Ledger
  caller: Caller
  round: number
}

/** Resolves when all callers have got their last answer. */
export async function callFor(load: Load, { seed, ms }: { seed: number; ms: number }): Promise<void> {
  const end = Date.now() + ms
  const call = async (_: unknown, who: number) => {
    const random = randomFrom(seed, load.round, 'caller', who)
    for (let nth = 1; Date.now() < end; nth++) {
      const name = `s${seed}r${load.round}c${who}n${nth}`
      await random.pick(CALLS)(load, name, random)
      await pause(random.whole(PAUSE_MS.min, PAUSE_MS.max))
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
}

type Call = (load: Load, name: string, random: Random) => Promise<void>

/** A call that is listed n times is n times as likely. */
const CALLS: readonly Call[] = [
  batchOfJson,
  batchOfJson,
  batchOfJson,
  batchOfLines,
  batchOfLines,
  oneItem,
  oneItem,
  oneItem,
  oneItem,
  fireTrigger,
  fireTrigger,
  fireSchedule,
  cancel,
  replay,
  recover,
]

/** Chooses the agent of a run and, by chance, an idempotency key and a callback. */
function settingsOf({ installation }: Load, entry: Entry, random: Random) {
  if (random.chance(0.6)) entry.key = `key ${entry.name}`
  if (random.chance(0.4)) entry.callback = random.pick(MANNERS)
  const callback_url =
    entry.callback && `${new URL(installation.receiver.url).origin}/${entry.callback}/${entry.name}`
  const { url, bundle } = installation.agents
  return {
    agent_id: random.chance(0.75) ? url : bundle,
    ...(entry.key === undefined ? {} : { idempotency_key: entry.key }),
    ...(callback_url === undefined ? {} : { callback_url }),
  }
}

const partitionOf = (at: number, isSplit: boolean) =>
  isSplit ? `,"partition_key":"tenant-${at % TENANTS}"` : ''

const itemsOf = (entry: Entry, isSplit: boolean) =>
  Array.from({ length: entry.items }, (_, i) => {
    const name = itemNameOf(entry, i + 1)
    return `{"item_id":"${name}"${partitionOf(i, isSplit)},"input":${inputOf(name)}}`
  })

/** Sends the request that makes one run, more than once if it has a key. */
async function submit(caller: Caller, entry: Entry, path: string, asked: Parameters<Caller['ask']>[1]) {
  const answer = entry.key === undefined ? await caller.ask(path, asked) : await caller.insist(path, asked)
  note(entry, answer)
  // A submission that was accepted gets the same run when it is repeated.
  if (entry.key !== undefined && answer.status === 202) note(entry, await caller.ask(path, asked))
}

function note(entry: Entry, { status, body }: Answer): void {
  if (status === 202) {
    entry.state = 'accepted'
    entry.run_ids.add(body.run_id as string)
  } else if (entry.state === 'sent') {
    entry.state = status > 0 && status < 500 ? 'refused' : 'uncertain'
  }
}

async function batchOfJson(load: Load, name: string, random: Random): Promise<void> {
  const entry = load.ledger.open({ name, round: load.round, items: random.whole(1, ITEMS.json) })
  const settings = { name, ...settingsOf(load, entry, random), ...capOf(random) }
  const items = itemsOf(entry, random.chance(0.3))
  const body = `${JSON.stringify(settings).slice(0, -1)},"items":[${items.join(',')}]}`
  await submit(load.caller, entry, '/v1/batches', { body })
}

async function batchOfLines(load: Load, name: string, random: Random): Promise<void> {
  const entry = load.ledger.open({ name, round: load.round, items: random.whole(1, ITEMS.lines) })
  const settings = { name, ...settingsOf(load, entry, random), ...capOf(random) }
  const query = new URLSearchParams(Object.entries(settings).map(([key, value]) => [key, String(value)]))
  await submit(load.caller, entry, `/v1/batches?${query}`, {
    body: `${itemsOf(entry, random.chance(0.3)).join('\n')}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  })
}

const capOf = (random: Random) => (random.chance(0.4) ? { concurrency: random.whole(CAP.min, CAP.max) } : {})

async function oneItem(load: Load, name: string, random: Random): Promise<void> {
  const entry = load.ledger.open({ name, round: load.round, items: 1 })
  const { agent_id, ...settings } = settingsOf(load, entry, random)
  const path = random.chance(0.5) ? `/v1/agents/${agent_id}/runs` : '/v1/runs'
  const order = { agent_id, item_id: name, ...settings }
  const body = `${JSON.stringify(order).slice(0, -1)},"input":${inputOf(name)}}`
  await submit(load.caller, entry, path, { body })
}

async function fireTrigger(load: Load, name: string, random: Random): Promise<void> {
  const key = `key ${name}`
  const entry = load.ledger.open({ name, round: load.round, items: 1, key })
  const { path, secret } = load.installation.trigger
  const headers: Record<string, string> = { authorization: `Bearer ${secret}`, 'x-idempotency-key': key }
  if (random.chance(0.3)) {
    entry.callback = random.pick(MANNERS)
    headers['x-callback-url'] = `${new URL(load.installation.receiver.url).origin}/${entry.callback}/${name}`
  }
  await submit(load.caller, entry, path, { body: inputOf(name), headers })
}

async function fireSchedule(load: Load, name: string): Promise<void> {
  const entry = load.ledger.open({ name, round: load.round, items: 1, item_name: BY_SCHEDULE })
  await submit(load.caller, entry, `/v1/schedules/${load.installation.schedule_id}/trigger`, {})
}

async function cancel({ ledger, caller, round }: Load, _: string, random: Random): Promise<void> {
  const open = ledger.ofRound(round).filter(one => one.state === 'accepted' && one.items > 1)
  if (open.length === 0) return
  const entry = random.pick(open)
  entry.is_cancelled = true
  const body = random.chance(0.5) ? '{"in_flight":"abort"}' : '{}'
  for (const id of entry.run_ids) await caller.insist(`/v2/runs/${id}/cancel`, { body })
}

/** Failed items of this round that nobody has replayed, at most 50. */
async function failedItems({
  ledger,
  installation,
  round,
}: Load): Promise<{ run_id: string; seq: number }[]> {
  const ids = ledger.ofRound(round).flatMap(one => [...one.run_ids])
  return installation.sql<{ run_id: string; seq: number }[]>`
    select run_id, seq from triage where run_id = any(${ids}::uuid[]) and disposition is null and lane = 'dlq' limit 50`.catch(
    () => [],
  ) // PostgreSQL is unreachable
}

async function replay(load: Load, name: string, random: Random): Promise<void> {
  const failed = await failedItems(load)
  if (failed.length === 0) return
  const { run_id, seq } = random.pick(failed)
  const entry = load.ledger.open({ name, round: load.round, items: 1, item_name: 'of its original' })
  note(entry, await load.caller.ask(`/v1/durable/runs/${itemRecordId(run_id, seq)}/replay`))
}

async function recover(load: Load, name: string, random: Random): Promise<void> {
  const failed = await failedItems(load)
  if (failed.length === 0) return
  const { run_id } = random.pick(failed)
  const body = JSON.stringify({ name, project_id: load.installation.project_id, filter: { run_id } })
  const answer = await load.caller.ask('/v1/recoveries', { body })
  if (answer.status === 202) load.ledger.recovery_ids.push(answer.body.id as string)
}

/** Each agent gets an item that calls the provider, as the first caller after an outage. */
export async function callUpstreams(load: Load): Promise<void> {
  const { agents } = load.installation
  for (const [which, agent_id] of Object.entries(agents)) {
    let name = ''
    for (let nth = 0; doingOf(name) !== 'step' || nth === 0; nth++) name = `after${load.round}${which}${nth}`
    const entry = load.ledger.open({ name, round: load.round, items: 1, key: `key ${name}` })
    const order = JSON.stringify({ agent_id, item_id: name, idempotency_key: entry.key })
    await submit(load.caller, entry, '/v1/runs', {
      body: `${order.slice(0, -1)},"input":${inputOf(name)}}`,
    })
  }
}

/** Resumes up to 200 paused items; @returns how many were paused. */
export async function resumeHeld(caller: Caller, sql: Sql): Promise<number> {
  const held = await sql<{ run_id: string; seq: number }[]>`
    select i.run_id, i.seq from runs r join items i on i.project_id = r.project_id and i.run_id = r.id
    where r.paused > 0 and i.status = 'paused' limit 200`
  for (const { run_id, seq } of held) {
    const answer = await caller.insist(`/v1/durable/runs/${itemRecordId(run_id, seq)}/resume`)
    if (!isClear(answer)) break
  }
  return held.length
}
