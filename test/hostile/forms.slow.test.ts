// Strangers send requests of many small parts: fields of a form, parameters of a query, headers, requests on one
// connection. None takes longer than in proportion to its bytes, and all of it is bounded.

import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { KiB, MiB } from '../../shared/kernel/limits/bytes.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { costOf, expectCheap, printCost } from './support/cost.ts'
import { addressOf, answerOn, atATime, type Sending, send, tally } from './support/sender.ts'

const AT_ONCE = 50
const LAST_MS = 5000
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
  for (let n = 0; n < 20; n++) await send(stack, form(Buffer.from('email=a')))
})
afterAll(() => stack.close())

const form = (body: Uint8Array): Sending => ({
  path: '/dashboard/sign-in',
  headers: FORM,
  length: body.length,
  body: [body],
})

async function attack(what: string, sending: Sending) {
  const [sent, cost] = await costOf(stack, () => atATime(AT_ONCE, LAST_MS, () => send(stack, sending)))
  const counts = tally(sent.map(({ status }) => status))
  printCost(`${what}, ${AT_ONCE} at a time, answered ${JSON.stringify(counts)}`, cost)
  expectCheap(cost)
  return Object.keys(counts)
}

/** This many names, as short as possible, padded to a length. */
const fields = (count: number, bytes = 0) => {
  const text = Array.from({ length: count }, (_, n) => n.toString(36)).join('&')
  return Buffer.from(text.padEnd(bytes, 'x'))
}

it.each([
  ['200 KB', fields(50_000)],
  ['4 MiB', fields(50_000, 4 * MiB)],
])('a form of 50,000 fields, %s long, to sign in is refused cheaply', async (size, body) => {
  expect(await attack(`forms of 50,000 fields and ${size}`, form(body))).toEqual(['400'])
})

it('a form of as many fields as a stranger may send is refused cheaply', async () => {
  const body = fields(2000).subarray(0, 4 * KiB)
  expect(await attack(`forms of ${body.length} bytes full of fields`, form(body))).toEqual(['400'])
})

it.each(['/health', '/health/ready', '/v1/sessions', '/v2/runs', '/dashboard/sign-in'])(
  'thousands of parameters for %s are refused cheaply',
  async path => {
    const names = Array.from({ length: 3500 }, (_, n) => n.toString(36)).join('&')
    const statuses = await attack(`queries of ${names.length} bytes for ${path}`, {
      method: 'GET',
      path: `${path}?${names}`,
    })
    expect(statuses.every(status => /^4\d\d$/.test(status))).toBe(true)
    const repeated = await send(stack, { method: 'GET', path: `${path}?${'a&'.repeat(5000)}` })
    expect(repeated.status).toBeGreaterThanOrEqual(400)
    expect(repeated.status).toBeLessThan(500)
  },
)

it('headers and addresses of more than 16 KiB are refused cheaply', async () => {
  const headers = { 'x-large': 'x'.repeat(64 * KiB) }
  expect(await attack('headers of 64 KiB', { method: 'GET', path: '/health', headers })).toEqual(['431'])
  const path = `/health?${'x'.repeat(64 * KiB)}`
  expect(await attack('addresses of 64 KiB', { method: 'GET', path })).toEqual(['431'])
})

it('event streams without credentials are refused cheaply', async () => {
  const path = '/v2/runs/00000000-0000-7000-8000-000000000000/events'
  expect(await attack('event streams of nobody', { method: 'GET', path })).toEqual(['401'])
})

it('hundreds of requests on a connection before the first is answered cost little', async () => {
  const REQUESTS = 200
  const text = 'GET /v1/projects HTTP/1.1\r\nhost: assay.test\r\nauthorization: Bearer pk_nobodys\r\n\r\n'
  const [sent, cost] = await costOf(stack, () =>
    atATime(AT_ONCE, LAST_MS, async () => {
      const socket = connect(addressOf(stack))
      const answer = answerOn(socket)
      socket.write(text.repeat(REQUESTS))
      await answer
      return socket.bytesWritten
    }),
  )
  printCost(`${REQUESTS} requests on each of ${AT_ONCE} connections, ${sent.length} times`, cost)
  expect(sent.every(bytes => bytes === REQUESTS * text.length)).toBe(true)
  expectCheap(cost)
})
