// The newest ids of each kind, for completion. Guarantee: it answers within a second, with nothing if there is no key
// or no server; a shell gets no id that it could take for more than a word; and it queries the server at most once per
// KEPT_MS, however often Tab is pressed.

import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findAccess } from './access.ts'
import { type Api, answered, connect } from './api.ts'
import { clean } from './format.ts'

const KEPT_MS = 15_000
const WAIT_MS = 1000
const MOST = 50

/** How each kind is read: one line per id, with a description after a tab. */
const READ: Record<string, (api: Api) => Promise<string[]>> = {
  runs: async api =>
    (await answered(api.GET('/v2/runs', { params: { query: { limit: MOST } } }))).map(
      run => `${run.id}\t${run.name ?? run.agent_slug}, ${run.status}`,
    ),
  agents: async api => (await answered(api.GET('/v1/agents'))).map(agent => `${agent.slug}\t${agent.name}`),
  schedules: async api =>
    (await answered(api.GET('/v1/schedules', { params: { query: { limit: MOST } } }))).map(
      schedule => `${schedule.id}\t${schedule.name ?? schedule.agent_slug}, ${schedule.cron}`,
    ),
  triggers: async api =>
    (await answered(api.GET('/v1/triggers', { params: { query: { limit: MOST } } }))).triggers.map(
      trigger => `${trigger.name}\t${trigger.agent_slug}`,
    ),
  deliveries: async api =>
    (await answered(api.GET('/v1/deliveries', { params: { query: { limit: MOST } } }))).deliveries.map(
      delivery => `${delivery.id}\t${delivery.state}, ${delivery.url}`,
    ),
  recoveries: async api =>
    (await answered(api.GET('/v1/recoveries', { params: { query: { limit: MOST } } }))).map(
      recovery => `${recovery.id}\t${recovery.name ?? recovery.status}`,
    ),
  items: async api =>
    (await answered(api.GET('/v1/triage', { params: { query: { kind: 'all', limit: MOST } } }))).rows.map(
      row =>
        `${row.record_id}\t${row.item_id === row.record_id ? row.reason : `${row.item_id}, ${row.reason}`}`,
    ),
}

type Env = Record<string, string | undefined>

/** Never throws: completion shows no errors, the command itself will. */
export async function recentIds(kind: string, env: Env, folder: string, now: number): Promise<string[]> {
  const read = READ[kind]
  if (read === undefined) return []
  try {
    const access = findAccess(env, folder)
    const who = createHash('sha256').update(`${access.base_url} ${access.api_key}`).digest('hex').slice(0, 16)
    const cache = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'assay')
    const file = join(cache, `${who}-${kind}.json`)
    const kept = await keptIn(file, now)
    if (kept !== undefined) return kept
    const limit = AbortSignal.timeout(WAIT_MS)
    const api = connect(access, (input, init) => fetch(input, { ...init, signal: limit }))
    const ids = wordsOf(await read(api))
    await keep(cache, file, { at: now, ids }).catch(() => {}) // without a writable home, only time is lost
    return ids
  } catch {
    return []
  }
}

/** What is no plain word is left out, since a shell may evaluate it; descriptions lose what a terminal obeys. */
const wordsOf = (lines: readonly string[]): string[] =>
  lines
    .map(line => line.split('\t') as [id: string, about: string])
    .filter(([id]) => /^[A-Za-z0-9_][A-Za-z0-9_.:@+-]*$/.test(id))
    .map(([id, ...about]) => `${id}\t${clean(about.join(' '))}`)

async function keptIn(file: string, now: number): Promise<string[] | undefined> {
  try {
    const { at, ids } = JSON.parse(await readFile(file, 'utf8'))
    return now >= at && now - at < KEPT_MS ? ids : undefined
  } catch {
    return undefined
  }
}

async function keep(folder: string, file: string, value: object): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  await writeFile(fresh, JSON.stringify(value), { mode: 0o600 })
  await rename(fresh, file) // two shells may complete at once
}
