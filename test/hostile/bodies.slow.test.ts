// Strangers send large bodies to everything that takes one. Each is refused before its body is read, or after the few
// bytes that strangers have, and what still arrives is discarded without being kept.

import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { KiB, MiB } from '../../shared/kernel/limits/bytes.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { costOf, expectCheap, printCost } from './support/cost.ts'
import { atATime, fill, type Sending, send, tally } from './support/sender.ts'

const AT_ONCE = 50
const LAST_MS = 5000
const JSON_TYPE = { 'content-type': 'application/json' }

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
  // What a process loads with its first requests is no cost of an attack.
  for (let n = 0; n < 20; n++)
    await send(stack, { path: '/v1/sessions', length: 2, body: fill(2), headers: JSON_TYPE })
})
afterAll(() => stack.close())

async function attack(what: string, sending: (n: number) => Sending) {
  const [sent, cost] = await costOf(stack, () => atATime(AT_ONCE, LAST_MS, n => send(stack, sending(n))))
  const bytes = sent.reduce((sum, one) => sum + one.bytes, 0)
  printCost(
    `${what}, ${AT_ONCE} at a time, ${Math.round(bytes / 1e6)} MB sent, answered ${JSON.stringify(tally(sent.map(one => one.status)))}`,
    cost,
  )
  expect(bytes).toBeGreaterThan(10 * MiB)
  expectCheap(cost)
  return { sent, bytes }
}

describe.each([
  ['of 64 MB', 64_000_000],
  ['of 256 KiB', 256 * KiB],
])('bodies %s from strangers', (size, bytes) => {
  it.each([
    ['with its length', bytes],
    ['in chunks', undefined],
  ])('to sign in, %s, are refused cheaply', async (how, length) => {
    const path = '/v1/sessions'
    const { sent } = await attack(`bodies ${size} to sign in, ${how}`, () => ({
      path,
      length,
      body: fill(bytes),
      headers: JSON_TYPE,
    }))
    expect(tally(sent.map(one => one.status))).toEqual({ 400: sent.length })
  })

  it('to all operations are refused cheaply', async () => {
    const taking = endpoints.filter(({ method }) => method === 'post' || method === 'patch')
    const id = '00000000-0000-7000-8000-000000000000'
    const { sent } = await attack(`bodies ${size} to all operations`, n => {
      const { method, path } = taking[n % taking.length]!
      return {
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, id),
        headers: { ...JSON_TYPE, authorization: 'Bearer pk_nobodys' },
        body: fill(bytes),
      }
    })
    const seen = Object.keys(tally(sent.map(one => one.status)))
    expect(seen.filter(status => !/^4\d\d$/.test(status))).toEqual([])
  })
})

it('compressed bodies that would be large are refused cheaply', async () => {
  const bomb = gzipSync(Buffer.alloc(256 * MiB))
  const { sent } = await attack(`bodies of ${bomb.length} bytes that hold 256 MiB`, () => ({
    path: '/v1/sessions',
    length: bomb.length,
    body: [bomb],
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
  }))
  expect(tally(sent.map(one => one.status))).toEqual({ 400: sent.length })
})
