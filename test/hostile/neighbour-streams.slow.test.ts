// A tenant asks for every event stream there is, with one key and by HEAD too: it gets its share of them, and other
// accounts get theirs.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import {
  behindUrl,
  expectUndisturbed,
  type HangingHost,
  hangingHost,
  type Project,
  printMeasured,
  type Shared,
  START_MS,
  startShared,
} from './support/neighbour-stack.ts'

let shared: Shared
let host: HangingHost
beforeAll(async () => {
  shared = await startShared()
  host = await hangingHost()
  await shared.measure(20) // its code is compiled by then
  printMeasured('alone', await shared.measure())
}, START_MS)
afterAll(async () => {
  await host.close()
  await shared.close()
})

async function openRun(project: Project): Promise<string> {
  const agent_id = await project.deploy(behindUrl(host.url))
  return (await project.call(`/v1/agents/${agent_id}/runs`, { input: 0 })).run_id
}

it('500 streams of one key, by GET and by HEAD, leave streams to others', async () => {
  const attacker = await shared.tenant()
  const run_id = await openRun(attacker)
  const over = new AbortController()
  const kept: Response[] = [] // fetch ends the stream of an answer that nobody refers to any more
  const ask = async (method: string) => {
    const init = { method, headers: { accept: 'text/event-stream' }, signal: over.signal }
    const answer = await attacker.ask(`/v2/runs/${run_id}/events`, init)
    kept.push(answer)
    return answer.status
  }
  const count = (statuses: number[], status: number) => statuses.filter(one => one === status).length
  const heads = await Promise.all(Array.from({ length: 500 }, () => ask('HEAD')))
  const gets = await Promise.all(Array.from({ length: 500 }, () => ask('GET')))
  const measured = await shared.measure()
  printMeasured(`beside ${count(gets, 200)} streams of one key (${count(gets, 429)} refused)`, measured)
  // The attack has arrived: it has all that one key may have. A HEAD takes none, so all streams could still be opened.
  expect([count(gets, 200), count(gets, 429)]).toEqual([
    LIMITS.event_streams_per_caller,
    500 - LIMITS.event_streams_per_caller,
  ])
  expect(count(heads, 200) + count(heads, 429)).toBe(500)
  const other = await shared.tenant()
  const followed = await other.ask(`/v2/runs/${await openRun(other)}/events`, {
    headers: { accept: 'text/event-stream' },
    signal: over.signal,
  })
  expect(followed.status).toBe(200)
  const { value } = await followed.body!.getReader().read()
  expect(new TextDecoder().decode(value)).not.toBe('')
  expectUndisturbed(measured)
  expect(kept).toHaveLength(1000)
  over.abort()
}, 300_000)
