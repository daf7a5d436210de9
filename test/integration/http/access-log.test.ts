import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { createContext, logLevelOf } from '../../../infra/node/context.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { createApp } from '../../../shared/http/app.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
let key: string
beforeAll(async () => {
  engine = await testEngine()
  key = (await mintKey(engine.ctx, engine.project_id, 'test')).key
})
beforeEach(() => {
  engine.log.length = 0
})
afterAll(() => engine.close())

async function call(method: string, path: string, options: { token?: string; body?: object } = {}) {
  const { token = key, body } = options
  const app = createApp(endpoints, () => engine.ctx)
  const response = await app.request(path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const request_id = response.headers.get('x-request-id')
  return { request_id, status: response.status, json: await response.json() }
}

const logged = () => engine.log.map(line => JSON.parse(line)).filter(line => line.event === 'request')

it('a request leaves one log line, which names what it made and nothing it sent [log.request]', async () => {
  const items = [{ input: { secret: 'hunter2' } }]
  const sent = await call('POST', '/v1/batches', { body: { agent_id: engine.agent_id, items } })
  expect(sent.status).toBe(202)
  expect(logged()).toEqual([
    {
      at: expect.any(String),
      level: 'info',
      event: 'request',
      request_id: sent.request_id,
      method: 'POST',
      path: '/v1/batches',
      status: 202,
      ms: expect.any(Number),
      account_id: expect.any(String),
      project_id: engine.project_id,
      target_id: sent.json.group_id,
    },
  ])
  expect(engine.log.join('')).not.toMatch(new RegExp(`hunter2|${key}`))
})

it('a refused request leaves one log line too, with what was known by then', async () => {
  const run = engine.ctx.newRunId()
  const missing = await call('GET', `/v2/runs/${run}`)
  const stranger = await call('GET', `/v2/runs/${run}`, { token: 'pk_unknown' })
  const nowhere = await call('GET', '/v1/nothing-here?token=hunter2')
  expect(logged()).toMatchObject([
    { request_id: missing.request_id, status: 404, path: '/v2/runs/{runId}', target_id: run },
    { request_id: stranger.request_id, status: 401, path: '/v2/runs/{runId}' },
    { request_id: nowhere.request_id, status: 404, path: null },
  ])
  expect(logged()[1]).not.toHaveProperty('account_id')
  expect(engine.log.join('')).not.toContain('hunter2')
})

it('lines below the level are not written, and an unknown level is refused', () => {
  const lines: string[] = []
  const { ctx } = engine
  const connections = { ...ctx, close: () => Promise.resolve() }
  const writeLog = (line: string) => lines.push(line)
  const quiet = createContext({ connections, config: ctx.config, writeLog, logLevel: logLevelOf('warn') })
  quiet.log('info', 'request')
  quiet.log('warn', 'turn_failed')
  quiet.log('error', 'request_failed')
  expect(lines.map(line => JSON.parse(line).event)).toEqual(['turn_failed', 'request_failed'])
  expect(() => logLevelOf('loud')).toThrow('ASSAY_LOG_LEVEL is loud: it takes info, warn, error')
})
