// Strangers hold connections: with a head that never ends, a body of a byte a second, or nothing at all. They keep
// nobody else from an answer, and are cut off.

import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stack, startStack } from '../support/stack.ts'
import { costOf, expectCheap, printCost } from './support/cost.ts'
import { addressOf, answerOn, send, statusOf, tally } from './support/sender.ts'

const CONNECTIONS = 500
const HOLD_MS = 10_000

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
  await send(stack, { method: 'GET', path: '/health' })
})
afterAll(() => stack.close())

async function hold(what: string, first: string, drip: string | undefined) {
  const answers: Promise<string>[] = []
  const [open, cost] = await costOf(stack, async () => {
    const sockets: Socket[] = Array.from({ length: CONNECTIONS }, () => connect(addressOf(stack)))
    answers.push(...sockets.map(answerOn))
    for (const socket of sockets) socket.write(first)
    const until = Date.now() + HOLD_MS
    while (Date.now() < until) {
      await pause(1000)
      if (drip !== undefined) for (const socket of sockets) if (!socket.destroyed) socket.write(drip)
    }
    const open = sockets.filter(socket => !socket.destroyed).length
    for (const socket of sockets) socket.destroy()
    return open
  })
  const counts = tally((await Promise.all(answers)).map(statusOf))
  printCost(
    `${CONNECTIONS} connections ${what}, ${open} of them open to the end, answered ${JSON.stringify(counts)}`,
    cost,
  )
  expectCheap(cost)
  return { open, counts }
}

it('connections with a head that never ends cost little', async () => {
  const { open } = await hold(
    'with a head that never ends',
    'GET /health HTTP/1.1\r\nhost: a\r\n',
    'x: y\r\n',
  )
  expect(open).toBeGreaterThan(0) // they are still open; the host ends them after a minute
})

it('connections with a byte of a body each second, to sign in, cost little', async () => {
  const head =
    'POST /v1/sessions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 4000\r\n\r\n{'
  const { open } = await hold('with a byte of a body each second', head, ' ')
  expect(open).toBeGreaterThan(0)
})

it('connections with a byte of a body each second, from an unknown caller, cost little', async () => {
  const head =
    'POST /v1/batches HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
  const { counts } = await hold('that begin a batch and prove nothing', head, '1\r\n \r\n')
  expect(counts[500]).toBeUndefined()
})

it('connections with nothing at all cost little', async () => {
  const { open } = await hold('with nothing on them', '', undefined)
  expect(open).toBeGreaterThan(0)
})
