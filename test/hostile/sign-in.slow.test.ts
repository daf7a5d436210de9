// Strangers guess passwords, many at once: from one address, from many, and while Redis is late or away. They cost
// little, no more guesses are tried than allowed, and a member gets in meanwhile.

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { type TestStore, testRedis } from '../support/stores.ts'
import { costOf, expectCheap, printCost } from './support/cost.ts'
import { send, tally } from './support/sender.ts'

/** Tokens that refill while the guesses are made, on a machine that takes a minute for them. */
const COMES_BACK = 60

let redis: TestStore
let between: Between
let stack: Stack
beforeAll(async () => {
  redis = await testRedis()
  between = await startBetween(Number(new URL(redis.url).port))
  const url = Object.assign(new URL(redis.url), { port: String(between.port) })
  // Guesses come from many addresses, as through a proxy that names them.
  stack = await startStack({ env: { REDIS_URL: url.href, ASSAY_TRUSTED_PROXIES: '127.0.0.1/32' } })
  expect(await signIn('198.51.100.1', stack.account!.email, stack.account!.password)).toBe(201)
})
afterAll(async () => {
  await stack?.close()
  between?.close()
  await redis?.drop()
})

async function signIn(from: string, email: string, password: string): Promise<number | undefined> {
  const body = Buffer.from(JSON.stringify({ email, password }))
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': from }
  return (await send(stack, { path: '/v1/sessions', headers, length: body.length, body: [body] })).status
}

// Guesses that waited too long to be hashed are refused as well: on a busy machine fewer are tried than allowed.
const guesses = (count: number, one: (n: number) => Promise<number | undefined>) =>
  costOf(stack, () => Promise.all(Array.from({ length: count }, (_, n) => one(n))))

it.each([200, 1000])('%i guesses at once from one address are limited', async count => {
  const from = `203.0.113.${count % 251}`
  const [answers, cost] = await guesses(count, n => signIn(from, `guess-${count}-${n}@example.org`, 'wrong'))
  const counts = tally(answers)
  printCost(`${count} guesses from an address, answered ${JSON.stringify(counts)}`, cost)
  const { burst } = LIMITS.sign_ins_per_address
  expect(counts[401]).toBeGreaterThan(0)
  expect(counts[401]).toBeLessThanOrEqual(burst + COMES_BACK)
  expect((counts[401] ?? 0) + (counts[429] ?? 0)).toBe(count)
  expectCheap(cost)
})

it('1,000 guesses at once at one member, from as many addresses, are limited, and the member gets in from a known place', async () => {
  const { email, password } = stack.account!
  const member: Promise<number | undefined>[] = []
  const [answers, cost] = await guesses(1000, n => {
    if (n === 500) member.push(signIn('198.51.100.1', email, password))
    return signIn(`2001:db8:${n.toString(16)}::1`, email, 'wrong')
  })
  const counts = tally(answers)
  printCost(`1000 guesses at a member from 1000 networks, answered ${JSON.stringify(counts)}`, cost)
  expect(await member[0]).toBe(201)
  expect(counts[401]).toBeGreaterThan(0)
  expect(counts[401]).toBeLessThanOrEqual(LIMITS.sign_ins_per_email.burst + COMES_BACK)
  expectCheap(cost)
})

it('addresses of one IPv6 network count as one', async () => {
  const { burst } = LIMITS.sign_ins_per_email_and_address
  const answers: unknown[] = []
  for (let n = 0; n < 2 * burst; n++)
    answers.push(await signIn(`2001:db8:ffff:1::${n}`, 'line@example.org', 'wrong'))
  expect(tally(answers)[429]).toBeGreaterThan(0)
})

it.each(['late', 'away'] as const)('no more guesses are tried while Redis is %s', async how => {
  const { burst } = LIMITS.sign_ins_per_email_and_address
  const guess = () => signIn('198.51.100.77', `${how}@example.org`, 'wrong')
  const before = await Promise.all(Array.from({ length: 3 * burst }, guess))
  between[how]()
  const began = Date.now()
  const after = await Promise.all(Array.from({ length: 3 * burst }, guess))
  const minutes = (Date.now() - began) / 60_000
  between.well()
  console.log(`before, and while Redis is ${how}: ${JSON.stringify([tally(before), tally(after)])}`)
  expect(tally(before)[401]).toBeGreaterThan(0)
  const { per_minute } = LIMITS.sign_ins_per_email_and_address
  expect(tally(after)[401] ?? 0).toBeLessThanOrEqual(Math.ceil((minutes + 1) * per_minute))
  expect(between.held).toBeGreaterThan(0)
})

interface Between {
  port: number
  /** What was sent to Redis while it was late or away. */
  held: number
  late(): void
  away(): void
  well(): void
  close(): void
}

const LATE_MS = 1000

/** Stands in front of Redis: passes everything on, delays its answers by a second, or takes no connection. */
async function startBetween(port: number): Promise<Between> {
  let how: 'well' | 'late' | 'away' = 'well'
  const sockets = new Set<Socket>()
  const listener: Server = createServer(client => {
    if (how !== 'well') between.held++
    const server = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    if (how === 'away') return client.destroy()
    client.on('data', bytes => {
      if (how !== 'well') between.held++
      server.write(bytes)
    })
    server.on('data', bytes => {
      if (how === 'late') setTimeout(() => client.write(bytes), LATE_MS)
      else client.write(bytes)
    })
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  const between: Between = {
    port: (listener.address() as AddressInfo).port,
    held: 0,
    late() {
      how = 'late'
    },
    away() {
      how = 'away'
      end()
    },
    well() {
      how = 'well'
    },
    close() {
      end()
      listener.close()
    },
  }
  return between
}
