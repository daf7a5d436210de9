// Agents and sources send lines that record nothing, as fast as they are read. Guarantee: what floods ends soon with a
// clear code, what shared a request with it loses nothing, and a neighbour's items take as long as if nothing happened.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import {
  behindUrl,
  expectUndisturbed,
  type Project,
  printMeasured,
  type Shared,
  START_MS,
  startShared,
} from './support/neighbour-stack.ts'

const ENDS_WITHIN_MS = 10_000

let shared: Shared
let attacker: Project
let url: string
const host = fork(join(import.meta.dirname, 'support/flooding-host.ts'), { execArgv: [] })
beforeAll(async () => {
  const [{ port }] = (await once(host, 'message')) as [{ port: number }]
  url = `http://127.0.0.1:${port}`
  shared = await startShared()
  attacker = await shared.tenant()
  await shared.measure(20) // its code is compiled by then
  printMeasured('alone', await shared.measure())
}, START_MS)
afterAll(async () => {
  host.kill()
  await shared.close()
})

interface Ended {
  status: string
  error_code: string | null
  n: number
}

/** Submits the inputs; how the items ended and how long that took, and what a neighbour measured meanwhile. */
async function flooded(what: string, agent_id: string, inputs: string[]) {
  const began = performance.now()
  const { group_id: run_id } = await attacker.call('/v1/batches', {
    agent_id,
    items: inputs.map(input => ({ input })),
  })
  let took_ms = Number.POSITIVE_INFINITY
  const ending = eventually(async () => {
    const [run] = await shared.sql`select finished_at from runs where id = ${run_id}`
    expect(run!.finished_at).not.toBeNull()
    took_ms = performance.now() - began
  })
  const measured = await shared.measure()
  await ending.catch(() => attacker.cancel(run_id))
  printMeasured(`${what}: ended after ${(took_ms / 1000).toFixed(1)} s`, measured)
  const ended = await shared.sql<Ended[]>`
    select status, error_code, count(*)::int as n from items where run_id = ${run_id} group by 1, 2 order by 1, 2`
  const [{ sent }] = (await shared.sql`
    select coalesce(max(attempt), 0)::int as sent from items where run_id = ${run_id}`) as unknown as [
    { sent: number },
  ]
  console.log(`  ${JSON.stringify([...ended])}, sent at most ${sent} times`)
  return { took_ms, measured, ended: [...ended] }
}

const times = (n: number, input: string) => Array.from({ length: n }, () => input)

describe.each(['blank', 'spaces', 'junk', 'beats', 'foreign', 'tiny'])(
  'lines that record nothing (%s)',
  what => {
    it('from 30 items behind a URL end them and disturb nobody', async () => {
      const agent_id = await attacker.deploy(behindUrl(`${url}/agent/${what}`))
      const { took_ms, measured, ended } = await flooded(what, agent_id, times(30, 'flood'))
      expect(ended).toEqual([{ status: 'failed', error_code: 'protocol_error', n: 30 }])
      expect(took_ms).toBeLessThan(ENDS_WITHIN_MS)
      expectUndisturbed(measured)
    })

    it('from one of 30 items end that one', async () => {
      const agent_id = await attacker.deploy(behindUrl(`${url}/agent/${what}`))
      const { took_ms, ended } = await flooded(`one of 30, ${what}`, agent_id, [
        ...times(14, 'well'),
        'flood',
        ...times(15, 'well'),
      ])
      expect(ended).toEqual([
        { status: 'completed', error_code: null, n: 29 },
        { status: 'failed', error_code: 'protocol_error', n: 1 },
      ])
      expect(took_ms).toBeLessThan(ENDS_WITHIN_MS)
    })
  },
)

const BUNDLE = `
const encoder = new TextEncoder()
const blank = encoder.encode('\\n'.repeat(65536))
export default {
  async fetch(request) {
    const items = (await request.text()).trim().split('\\n').map(line => JSON.parse(line))
    const { readable, writable } = new TransformStream()
    const writer = writable.getWriter()
    const flood = async () => { for (;;) await writer.write(blank) }
    if (items[0].generator !== undefined || items.some(({ input }) => input === 'flood')) flood().catch(() => {})
    else {
      for (const { seq, attempt } of items)
        writer.write(encoder.encode(JSON.stringify({ type: 'result', seq, attempt, output: 'well' }) + '\\n'))
      writer.close()
    }
    return new Response(readable, { headers: { 'content-type': 'application/x-ndjson' } })
  },
}
`
const bundle = (more: object = {}) => ({
  kind: 'bundle',
  code: BUNDLE,
  declaration: { name: 'floods', ...more },
})

it('blank lines from ten items of a bundle end them and disturb nobody', async () => {
  const agent_id = await attacker.deploy(bundle())
  const { took_ms, measured, ended } = await flooded('bundle', agent_id, times(10, 'flood'))
  expect(ended).toEqual([{ status: 'failed', error_code: 'protocol_error', n: 10 }])
  expect(took_ms).toBeLessThan(ENDS_WITHIN_MS)
  expectUndisturbed(measured)
})

/** Two previews of a source, as many as a project may have. */
async function previewed(what: string, order: object) {
  const ask = async () => {
    const began = performance.now()
    const init = { method: 'POST', body: JSON.stringify(order) }
    const answer = await attacker.ask('/v1/sources/preview', init)
    return [answer.status, (await answer.json()).error?.code, performance.now() - began] as const
  }
  const asked = [ask(), ask()]
  const measured = await shared.measure()
  const answers = await Promise.all(asked)
  printMeasured(`${what}, ${JSON.stringify(answers)}`, measured)
  return { measured, answers }
}

it.each(['blank', 'spaces'])('a source that goes on with lines that are no rows (%s) is left', async what => {
  const agent_id = await attacker.deploy(behindUrl(`${url}/agent/blank`))
  const source = { url: `${url}/source/${what}`, format: 'ndjson' }
  const { measured, answers } = await previewed(`two previews, ${what}`, { agent_id, source })
  for (const [status, code, took_ms] of answers) {
    expect([status, code]).toEqual([400, 'source_failed'])
    expect(took_ms).toBeLessThan(ENDS_WITHIN_MS)
  }
  expectUndisturbed(measured)
})

it('a generator that goes on without an item is left', async () => {
  const agent_id = await attacker.deploy(bundle({ generators: ['endless'] }))
  const source = { generator: 'endless' }
  const { measured, answers } = await previewed('two previews of a generator', { agent_id, source })
  for (const [status, code, took_ms] of answers) {
    expect([status, code]).toEqual([400, 'source_failed'])
    expect(took_ms).toBeLessThan(ENDS_WITHIN_MS)
  }
  expectUndisturbed(measured)
})

it.each(['agent', 'source'])('a host that answers 102 for ever is left (%s)', async role => {
  const declaration = role === 'agent' ? `${url}/agent/interim` : `${url}/agent/blank`
  const agent_id = await attacker.deploy(behindUrl(declaration))
  if (role === 'agent') {
    const { took_ms, measured, ended } = await flooded('interim answers', agent_id, ['flood'])
    expect(ended[0]!.status).toBe('failed')
    expect(took_ms).toBeLessThan(ENDS_WITHIN_MS)
    expectUndisturbed(measured)
  } else {
    const source = { url: `${url}/source/interim`, format: 'ndjson' }
    const { measured, answers } = await previewed('two previews, interim answers', { agent_id, source })
    for (const [status, code, took_ms] of answers) {
      expect([status, code]).toEqual([400, 'source_failed'])
      expect(took_ms).toBeLessThan(ENDS_WITHIN_MS)
    }
    expectUndisturbed(measured)
  }
})

it('blank lines of an upload are refused beyond what its items weigh', async () => {
  const agent_id = await attacker.deploy(behindUrl(`${url}/agent/blank`))
  const blank = new TextEncoder().encode('\n'.repeat(65_536))
  let sent = 0
  const began = performance.now()
  const body = new ReadableStream({
    pull(controller) {
      sent += blank.length
      controller.enqueue(sent === blank.length ? new TextEncoder().encode('{"input":1}\n') : blank)
      if (performance.now() - began > 30_000) controller.close()
    },
  })
  const asked = attacker
    .ask(`/v1/batches?agent_id=${agent_id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
      duplex: 'half',
    } as RequestInit)
    .then(
      async answer => [answer.status, (await answer.json()).error?.code, performance.now() - began] as const,
    )
  const measured = await shared.measure()
  const [status, code, took_ms] = await asked
  printMeasured(
    `an upload of ${Math.round(sent / 1e6)} MB of blank lines, ${status} ${code} after ${took_ms}`,
    measured,
  )
  expect([status, code]).toEqual([400, 'invalid_line'])
  expect(took_ms).toBeLessThan(ENDS_WITHIN_MS)
  expectUndisturbed(measured)
})
