import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { type Server, startServer } from '../../infra/node/server.ts'
import type { Redis } from '../../shared/context.ts'
import { LIMITS } from '../../shared/domain/limits.ts'
import { bootstrapAccount, type FirstCredentials } from '../../shared/engine/bootstrap.ts'
import { takeTokens } from '../../shared/hints/rate.ts'
import { testDatabase, testRedis } from '../support/stores.ts'
import { tempFolder } from '../support/temp-folder.ts'

const MASTER_KEY = '6b'.repeat(32)
const parts = new AsyncDisposableStack()
let redis: Redis
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
  first = await bootstrapAccount(createContext({ connections, config }))
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

it('an address with too many wrong passwords has to wait, whoever it says it is, and no other has [limits.sign-in, errors.429]', async () => {
  const { email, password } = first.account
  const { burst, per_minute } = LIMITS.sign_ins_per_address
  const bucket = { name: 'sign-in:address:127.0.0.2', burst, per_second: per_minute / 60 }
  // Most of its attempts: each would take as long as a password takes to check.
  await takeTokens(redis, bucket, burst - 3, Date.now())
  const guess = (name: string) => signIn('127.0.0.2', name, 'wrong')
  const answers = [await guess('first@example.org')]
  expect(answers[0]!.status).toBe(401)
  while (answers.at(-1)!.status === 401 && answers.length < burst)
    answers.push(await guess(`${answers.length}@example.org`))
  expect(answers.at(-1)!.status).toBe(429)
  expect(answers.at(-1)!.wait).toBeGreaterThan(0)
  // Refused, it does not use up the attempts of the e-mail.
  for (let n = 0; n <= LIMITS.sign_ins_per_email.burst; n++) await guess(email)
  expect((await signIn('127.0.0.3', email, password)).status).toBe(201)
})

it('an address has to wait at the form of the dashboard as well, and no other has', async () => {
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
