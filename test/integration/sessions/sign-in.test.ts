import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext } from '../../../infra/node/context.ts'
import { type Server, startServer } from '../../../infra/node/server.ts'
import { bootstrapAccount, type FirstCredentials } from '../../../shared/accounts/verbs/bootstrap.ts'
import { addMember } from '../../../shared/accounts/verbs/members.ts'
import type { Context, Redis } from '../../../shared/context.ts'
import { authenticate } from '../../../shared/http/auth.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { sha256, toHex } from '../../../shared/kernel/secrets.ts'
import { takeTokens } from '../../../shared/redis/rate.ts'
import { testDatabase, testRedis } from '../../support/stores.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const MASTER_KEY = '6b'.repeat(32)
const parts = new AsyncDisposableStack()
let redis: Redis
let ctx: Context
let server: Server
let first: FirstCredentials

beforeAll(async () => {
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  const database = parts.adopt(await testDatabase(), store => store.drop())
  const cache = parts.adopt(await testRedis(), store => store.drop())
  const urls = { databaseUrl: database.url, redisUrl: cache.url }
  const connections = parts.adopt(openConnections(urls), connections => connections.close())
  redis = connections.redis
  const config = { base_url: 'http://assay.test', master_key: MASTER_KEY }
  ctx = createContext({ connections, config })
  first = await bootstrapAccount(ctx)
  const at = { host: '127.0.0.1', port: 0, dataDir: folder.path, masterKey: MASTER_KEY, writeLog: () => {} }
  server = parts.adopt(await startServer({ ...urls, ...at, parts: ['api'] }), server => server.close())
})
afterAll(() => parts.disposeAsync())

/** Signs in over a connection from an address of this machine. */
function signIn(from: string, email: string, password: string): Promise<{ status: number; wait: number }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const options = { method: 'POST', localAddress: from, agent: false, headers } as const
    const asked = request(`${server.url}/v1/sessions`, options, answer => {
      answer.resume()
      resolve({ status: answer.statusCode!, wait: Number(answer.headers['retry-after']) })
    })
    asked.once('error', reject)
    asked.end(JSON.stringify({ email, password }))
  })
}

it('an address with too many wrong passwords has to wait, whatever e-mails it names, and other addresses do not [limits.sign-in, errors.429]', async () => {
  const { email, password } = first.account
  const { burst, per_minute } = LIMITS.sign_ins_per_address
  const bucket = { name: 'sign-in:address:127.0.0.2', burst, per_second: per_minute / 60 }
  // Takes most of its attempts at once: as requests, each would take as long as checking a password.
  await takeTokens(redis, bucket, burst - 3, Date.now())
  const guess = (name: string) => signIn('127.0.0.2', name, 'wrong')
  const answers = [await guess('first@example.org')]
  expect(answers[0]!.status).toBe(401)
  while (answers.at(-1)!.status === 401 && answers.length < burst)
    answers.push(await guess(`${answers.length}@example.org`))
  expect(answers.at(-1)!.status).toBe(429)
  expect(answers.at(-1)!.wait).toBeGreaterThan(0)
  // A refused sign-in does not use up the attempts of the e-mail.
  for (let n = 0; n <= LIMITS.sign_ins_per_email_and_address.burst; n++) await guess(email)
  expect((await signIn('127.0.0.3', email, password)).status).toBe(201)
})

it('an address has to wait at the sign-in form of the dashboard as well, and other addresses do not', async () => {
  const { burst, per_minute } = LIMITS.sign_ins_per_address
  const bucket = { name: 'sign-in:address:127.0.0.4', burst, per_second: per_minute / 60 }
  await takeTokens(redis, bucket, burst, Date.now())
  const post = (from: string) =>
    new Promise<{ status: number; text: string; wait: string | undefined }>((resolve, reject) => {
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': '127.0.0.9',
      }
      const options = { method: 'POST', localAddress: from, agent: false, headers } as const
      const asked = request(`${server.url}/dashboard/sign-in`, options, async answer => {
        let text = ''
        for await (const part of answer) text += part
        resolve({ status: answer.statusCode!, text, wait: answer.headers['retry-after'] })
      })
      asked.once('error', reject)
      asked.end(String(new URLSearchParams(first.account)))
    })
  const refused = await post('127.0.0.4')
  expect(refused.status).toBe(429)
  expect(Number(refused.wait)).toBeGreaterThan(0)
  const wait = refused.wait === '1' ? 'a second' : `${refused.wait} seconds`
  expect(refused.text).toContain(`Too many failed sign-ins. <span class="dim">Try again in ${wait}.`)
  expect((await post('127.0.0.5')).status).toBe(303)
})

describe('a refresh token', () => {
  const ask = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return {
      status: answer.status,
      ...((await answer.json()) as { access_token: string; refresh_token: string }),
    }
  }
  const open = () => ask('/v1/sessions', first.account)
  const refresh = (refresh_token: string) => ask('/v1/sessions/refresh', { refresh_token })
  const isAlive = async (token: string) =>
    (await authenticate(
      ctx,
      new Request('http://a', { headers: { authorization: `Bearer ${token}` } }),
      true,
    )) !== undefined
  const aWhileAgo = () =>
    ctx.sql`update sessions set last_used_at = now() - interval '1 minute' where revoked_at is null`

  it('that is used a second time ends its session, however often it was exchanged since', async () => {
    const opened = await open()
    const second = await refresh(opened.refresh_token)
    const third = await refresh(second.refresh_token)
    await aWhileAgo()
    expect((await refresh(opened.refresh_token)).status).toBe(401)
    expect((await refresh(third.refresh_token)).status).toBe(401)
    await expect(isAlive(third.access_token)).rejects.toThrow('unknown, expired or revoked')
  })

  it('that is used again at once, because the answer was lost, is refused and ends nothing', async () => {
    const opened = await open()
    const second = await refresh(opened.refresh_token)
    expect((await refresh(opened.refresh_token)).status).toBe(401)
    expect((await refresh(second.refresh_token)).status).toBe(200)
  })

  it('that is forged for a session ends nothing', async () => {
    const opened = await open()
    await aWhileAgo()
    const made = opened.refresh_token.replace(/\.[\w-]+\./, `.${'A'.repeat(43)}.`)
    expect((await refresh(made)).status).toBe(401)
    expect((await refresh(opened.refresh_token)).status).toBe(200)
  })

  it('of the previous version works, and is exchanged for one of this version', async () => {
    const opened = await open()
    const hash = await sha256('rt_before')
    await ctx.sql`update sessions set refresh_hash = ${hash} where refresh_hash = ${await sha256(opened.refresh_token)}`
    const next = await refresh('rt_before')
    expect([next.status, next.refresh_token.split('.')]).toEqual([
      200,
      expect.toSatisfy((it: string[]) => it.length === 3),
    ])
    await aWhileAgo()
    expect((await refresh('rt_before')).status).toBe(401)
    expect((await refresh(next.refresh_token)).status).toBe(200)
  })
})

it('a member gets in from an address used before while others guess, and nobody gets in from elsewhere', async () => {
  const { email, password } = first.account
  expect((await signIn('127.0.0.6', email, password)).status).toBe(201)
  const { burst, per_minute } = LIMITS.sign_ins_per_email // as if many addresses had guessed
  const name = `sign-in:email:${toHex(await sha256(email))}`
  await takeTokens(redis, { name, burst, per_second: per_minute / 60 }, burst - 1, Date.now())
  expect((await signIn('127.0.0.7', email, 'wrong')).status).toBe(401)
  expect((await signIn('127.0.0.7', email, password)).status).toBe(429)
  expect((await signIn('127.0.0.6', email, password)).status).toBe(201)
  expect((await signIn('127.0.0.6', email, 'wrong')).status).toBe(401)
  expect((await signIn('127.0.0.6', email, password)).status).toBe(201)
})

/** Adds a member for one test, whose attempts no other test has used up. */
async function addWatched(email: string) {
  const [{ account_id }] =
    (await ctx.sql`select account_id from members where email = ${first.account.email}`) as [
      { account_id: string },
    ]
  await addMember(ctx, { account_id, email, role: 'viewer', password: PASSWORD })
}
const PASSWORD = 'a long password'

it('guesses from one address are limited per e-mail, and do not lock out other addresses', async () => {
  const email = 'guessed@example.org'
  await addWatched(email)
  const { burst } = LIMITS.sign_ins_per_email_and_address
  const guesses = await Promise.all(
    Array.from({ length: 3 * burst }, () => signIn('127.0.0.8', email, 'wrong')),
  )
  const tried = guesses.filter(({ status }) => status === 401)
  // A busy machine takes seconds for these: some attempts are restored meanwhile, and some come too late to be tried.
  expect(tried.length).toBeGreaterThan(0)
  expect(tried.length).toBeLessThan(burst + 4)
  expect((await signIn('127.0.0.9', email, PASSWORD)).status).toBe(201)
})

it('failed sign-ins of a member are recorded in the audit log of the account, a bounded number of them [audit.refusals]', async () => {
  const email = 'watched@example.org'
  await addWatched(email)
  const [member] = await ctx.sql`select id from members where email = ${email}`
  const noted = () =>
    ctx.sql`select actor_kind, actor_name from audit_log where action = 'createSession.refused' and target_id = ${member!.id}`
  const { burst, per_hour } = LIMITS.refusals_noted
  const bucket = { name: `refusals:${member!.id}`, burst, per_second: per_hour / 3600 }
  await takeTokens(redis, bucket, burst - 2, Date.now())
  for (let n = 0; n < 4; n++) expect((await signIn('127.0.0.10', email, 'wrong')).status).toBe(401)
  expect((await signIn('127.0.0.10', 'nobody@example.org', 'wrong')).status).toBe(401)
  const entry = { actor_kind: 'stranger', actor_name: '127.0.0.10' }
  await expect.poll(async () => [...(await noted())]).toEqual([entry, entry])
})
