// Requests that are silent for over a minute, longer than proxies wait by default, survive behind each proxy with the
// files of infra/proxies.

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { MASTER_KEY, openWorld, type World } from '../../conformance/world.ts'
import { ask, type Behind, startBehind, textOf } from '../../support/behind.ts'
import { isInstalled, NAME, type ProxyName, startProxy } from '../../support/proxies.ts'

const SILENT_MS = 61_000

let world: World
let behind: Behind
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  behind = await startBehind({ ...world.urls, masterKey: MASTER_KEY }, `https://${NAME}`)
})
afterAll(async () => {
  await behind.close()
  await world.end()
})

const FILES: [ProxyName, string][] = [
  ['nginx', 'nginx.conf'],
  ['Caddy', 'Caddyfile'],
  ['HAProxy', 'haproxy.cfg'],
]

describe.concurrent.each(FILES)('behind %s', { timeout: 2 * SILENT_MS }, (name, file) => {
  it.skipIf(!isInstalled(name))(
    `an upload may pause for a minute, and an event stream without events stays open (needs ${name})`,
    async () => {
      await using proxy = await startProxy(name, { file }, behind.port)
      const { sql } = world.ctx
      const headers = { authorization: `Bearer ${world.first.api_key}` }
      const agent = await makeAgent(world)
      const run = await makeRun(world, agent.id, [{ input: 1 }])
      const events = await ask(proxy, `/v2/runs/${run}/events`, { headers })
      const reading = textOf(events)
      async function* paused() {
        yield new TextEncoder().encode('{"input":1}\n')
        await pause(SILENT_MS)
        yield new TextEncoder().encode('{"input":2}\n')
      }
      const answer = await ask(proxy, `/v1/batches?agent=${agent.slug}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-ndjson' },
        body: paused(),
      })
      expect([answer.statusCode, JSON.parse(await textOf(answer)).total_items]).toEqual([202, 2])
      await sql`update runs set started_at = now(), ok = 1, next_seq = 2, finished_at = now() where id = ${run}`
      const text = await reading
      expect(text.match(/^: still there$/gm)?.length).toBeGreaterThanOrEqual(3)
      expect(text).toMatch(/^event: end$/m)
    },
  )
})
