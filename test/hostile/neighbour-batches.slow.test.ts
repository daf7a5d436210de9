// A tenant sends batches of 64 MB one after the other, each seven million items of `{"input":0}`: the process still
// answers, and its memory stays within a bound.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { eventually } from '../support/eventually.ts'
import {
  behindUrl,
  expectUndisturbed,
  type HangingHost,
  hangingHost,
  printMeasured,
  type Shared,
  START_MS,
  startShared,
} from './support/neighbour-stack.ts'

const SENDERS = 3

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

it('JSON batches of 64 MB, three at a time, disturb no neighbour', async () => {
  const attacker = await shared.tenant()
  const agent_id = await attacker.deploy(behindUrl(host.url))
  const head = `{"agent_id":"${agent_id}","items":[`
  const item = '{"input":0}'
  const many = Math.floor((LIMITS.batch_bytes - head.length - 2) / (item.length + 1))
  const body = `${head}${`${item},`.repeat(many - 1)}${item}]}`
  const over = new AbortController()
  const answers: number[] = []
  const before = shared.memory()
  let most = before
  const looking = setInterval(() => {
    most = Math.max(most, shared.memory())
  }, 50)
  const sending = Array.from({ length: SENDERS }, async () => {
    while (!over.signal.aborted) {
      try {
        const answer = await attacker.ask('/v1/batches', { method: 'POST', body, signal: over.signal })
        answers.push(answer.status)
      } catch (error) {
        if (!over.signal.aborted) throw error
      }
    }
  })
  const written = async () => {
    const [row] = await shared.sql<{ n: number }[]>`
      select count(*)::int as n from items where project_id = ${attacker.id}`
    return row!.n
  }
  // The attack has arrived: what was sent was read, and is being written.
  await eventually(async () => expect(await written()).toBeGreaterThan(0))
  const measured = await shared.measure().finally(() => over.abort())
  const items = await written()
  await Promise.all(sending)
  clearInterval(looking)
  const grown = Math.round((most - before) / 1e6)
  printMeasured(
    `beside batches of 64 MB (${items} items written, ${answers} answered, ${grown} MB more)`,
    measured,
  )
  expect(answers.filter(status => status !== 202 && status !== 429)).toEqual([])
  expect(grown).toBeLessThan(1000) // a process once took 1.6 GB for one of them
  expectUndisturbed(measured)
}, 600_000)
