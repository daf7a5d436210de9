import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { StartHost } from './hosts.ts'
import type { Given } from './suite.ts'
import { MASTER_KEY } from './world.ts'

const REFUSING = '127.0.0.1:1'

/** What the probes say while a store is unreachable. */
export function readinessPart(given: Given, startHost: StartHost): void {
  describe('an unreachable store', () => {
    async function probe(urls: { databaseUrl?: string; redisUrl?: string }) {
      const { urls: good, contract } = given()
      const host = await startHost({ ...good, masterKey: MASTER_KEY, ...urls })
      try {
        // Refused before any store is queried; it starts a function that sleeps before the time is taken.
        expect((await fetch(`${host.url}/health/ready?unknown=1`)).status).toBe(400)
        const started = performance.now()
        const response = await fetch(`${host.url}/health/ready`)
        const text = await response.text()
        const took_ms = performance.now() - started
        contract.check('GET', '/health/ready', response.status, response.headers.get('content-type'), text)
        expect((await fetch(`${host.url}/health`)).status).toBe(200)
        const serving = await fetch(`${host.url}/health/serving`)
        const state = await serving.text()
        contract.check('GET', '/health/serving', serving.status, serving.headers.get('content-type'), state)
        const traffic = [serving.status, JSON.parse(state)]
        return { status: response.status, json: JSON.parse(text), took_ms, traffic }
      } finally {
        await host.close()
      }
    }

    it('is named by the readiness probe: Redis; callers are served [health.not-ready, health.alive, health.turns, health.serving]', async () => {
      const { status, json, traffic } = await probe({ redisUrl: `redis://${REFUSING}` })
      expect(status).toBe(503)
      expect(json.error).toMatchObject({
        code: 'dependency_unreachable',
        message: expect.stringMatching(/^redis /),
      })
      expect(json.dependencies).toMatchObject({
        postgres: { status: 'ok' },
        redis: { status: 'unreachable' },
      })
      expect(json.turns.tick).toEqual({ status: 'unknown', age_ms: null })
      expect(traffic).toEqual([200, { status: 'serving' }])
    })

    it('is named by the readiness probe: PostgreSQL; nobody is served [health.not-ready, health.alive, health.serving]', async () => {
      const { status, json, traffic } = await probe({ databaseUrl: `postgres://nobody@${REFUSING}/none` })
      expect(status).toBe(503)
      expect(json.error.message).toMatch(/^postgres /)
      expect(json.dependencies).toMatchObject({
        postgres: { status: 'unreachable' },
        redis: { status: 'ok' },
      })
      expect(traffic).toEqual([503, { status: 'unavailable' }])
    })

    it('fails an operation with a request id and no details [errors.500, errors.store-unreachable]', async () => {
      const { urls, contract, first } = given()
      const secret = 'postgres://teller:hidden-word@'
      const host = await startHost({
        ...urls,
        databaseUrl: `${secret}${REFUSING}/none`,
        masterKey: MASTER_KEY,
      })
      try {
        const headers = { authorization: `Bearer ${first.api_key}` }
        const response = await fetch(`${host.url}/v1/projects`, { headers })
        const text = await response.text()
        contract.check('GET', '/v1/projects', response.status, response.headers.get('content-type'), text)
        const { error } = JSON.parse(text)
        expect([response.status, error.code]).toEqual([500, 'store_unreachable'])
        expect(response.headers.get('retry-after')).toBe('2')
        expect(error.message).toContain(response.headers.get('x-request-id'))
        expect(text).not.toMatch(/hidden-word|ECONNREFUSED|at .*\.ts/)
      } finally {
        await host.close()
      }
    })

    it('holds up the readiness probe for at most two seconds if it stays silent', async () => {
      const mute = createServer(socket => socket.on('error', () => {}))
      await new Promise<void>(resolve => mute.listen(0, '127.0.0.1', resolve))
      const { port } = mute.address() as { port: number }
      try {
        const at = `127.0.0.1:${port}`
        const { json, took_ms } = await probe({
          databaseUrl: `postgres://a@${at}/b`,
          redisUrl: `redis://${at}`,
        })
        expect(json.error.message).toMatch(/^postgres .* redis did not answer within 2 s\.$/)
        expect(took_ms).toBeLessThan(4000)
      } finally {
        mute.close()
      }
    })
  })
}
