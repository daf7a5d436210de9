import { describe, expect, it } from 'vitest'
import { VERSION } from '../../shared/kernel/version.ts'
import type { Given } from './suite.ts'

/** What holds for all operations: credentials, errors, bodies, queries. */
export function edgePart(given: Given): void {
  describe('the edge', () => {
    it('answers /health without credentials [health.alive]', async () => {
      const { status, json } = await given().call('GET', '/health', { token: null })
      expect([status, json]).toEqual([200, { status: 'ok' }])
    })

    it('says by a header that Assay wrote the answer, also for an error [service.own-header]', async () => {
      const answers = [await given().call('GET', '/health'), await given().call('GET', '/v1/nothing')]
      expect(answers.map(({ headers }) => headers.get('assay-version'))).toEqual([VERSION, VERSION])
    })

    it('names both stores as ready [health.ready]', async () => {
      const { status, json } = await given().call('GET', '/health/ready', { token: null })
      expect(status).toBe(200)
      expect(json.dependencies.postgres.status).toBe('ok')
      expect(json.dependencies.redis.status).toBe('ok')
    })

    it('serves an OpenAPI 3.1 document without credentials', async () => {
      const { status, json } = await given().call('GET', '/openapi.json', { token: null })
      expect(status).toBe(200)
      expect(json.openapi).toBe('3.1.0')
    })

    it('serves a reference page that holds every operation and needs nothing from elsewhere', async () => {
      const world = given()
      const response = await fetch(`${world.url}/docs`)
      const page = await response.text()
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      for (const operations of Object.values(world.contract.document.paths)) {
        for (const { operationId } of Object.values(operations)) {
          expect(page).toContain(`<section id="${operationId}">`)
        }
      }
      expect(page).not.toMatch(/<script|<link|<img|url\(/)
      const style = /<style>([\s\S]*?)<\/style>/.exec(page)![1]!
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
      const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
      const policy = response.headers.get('content-security-policy')
      expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`)
    })

    it('answers 404 as JSON for an unknown path or method [errors.404, errors.json]', async () => {
      for (const [method, path] of [
        ['GET', '/v1/nothing'],
        ['PUT', '/v1/projects'],
        ['DELETE', '/health'],
        ['GET', '/v1/agents/'],
      ] as const) {
        const { status, json } = await given().call(method, path)
        expect([path, status, json.error.code]).toEqual([path, 404, 'not_found'])
      }
    })

    it.each([
      ['GET', '/v1/runs', 'Only POST here; GET is at /v2/runs.'],
      ['GET', '/v1/project', 'Did you mean GET /v1/projects?'],
      [
        'GET',
        '/v1/runs/0197f3b1-0000-7000-8000-000000000001/items',
        'Did you mean GET /v2/runs/{runId}/items?',
      ],
      ['PATCH', '/nothing/like/it', 'GET /docs lists all operations.'],
      ['GET', `/${'v'.repeat(5000)}`, 'GET /docs lists all operations.'],
    ])('answers %s %s with a hint at what is nearest', async (method, path, hint) => {
      const { status, json } = await given().call(method, path)
      expect([status, json.error.hint.slice(0, hint.length)]).toEqual([404, hint])
    })

    it('redirects / to the dashboard', async () => {
      const response = await fetch(`${given().url}/`, { redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([302, '/dashboard'])
    })

    it.each([
      ['no header', {}],
      ['Basic', { authorization: 'Basic YTpi' }],
      ['an unknown key', { authorization: 'Bearer pk_unknown' }],
      ['two tokens', { authorization: 'Bearer a, Bearer b' }],
      ['a word', { authorization: 'Bearer word' }],
      ['alg none', { authorization: `Bearer ${btoa('{"alg":"none"}')}.${btoa('{"sub":"x"}')}.` }],
    ])('answers 401 with %s [auth.unauthenticated]', async (_, headers) => {
      const {
        status,
        json,
        headers: answered,
      } = await given().call('GET', '/v1/projects', { token: null, headers })
      expect([status, json.error.code]).toEqual([401, 'unauthenticated'])
      expect(answered.get('www-authenticate')).toBe('Bearer')
    })

    it.each([
      ['empty', '', 'invalid_request'],
      ['truncated', '{"name":"a', 'invalid_json'],
      ['an array', '[]', 'invalid_request'],
      ['a repeated key', '{"name":"a","name":"b"}', 'duplicate_key'],
      ['an unknown field', '{"name":"a","nome":"b"}', 'invalid_request'],
      ['__proto__', '{"name":"a","__proto__":{}}', 'invalid_request'],
      ['65 levels', `{"name":${'['.repeat(64)}${']'.repeat(64)}}`, 'too_deep'],
      ['1e400', '{"name":1e400}', 'number_out_of_range'],
      ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'invalid_utf8'],
      ['a number for a name', '{"name":1}', 'invalid_request'],
      ['a NUL in a name', '{"name":"a\\u0000"}', 'invalid_request'],
      ['a name of 257 characters', JSON.stringify({ name: 'n'.repeat(257) }), 'invalid_request'],
    ])('refuses a body that is or has %s [errors.400, input.json]', async (_, raw, code) => {
      const headers = { 'content-type': 'application/json' }
      const { status, json } = await given().call('POST', '/v1/agents', { raw, headers })
      expect([status, json.error.code]).toEqual([400, code])
    })

    it('names an unknown field [input.strict]', async () => {
      const { json } = await given().call('POST', '/v1/agents', { body: { name: 'a', nome: 'b' } })
      expect(json.error.message).toContain('"nome"')
    })

    it('refuses another content type and a compressed body', async () => {
      for (const headers of [
        { 'content-type': 'text/plain' },
        { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      ]) {
        const { status } = await given().call('POST', '/v1/agents', { raw: '{"name":"a"}', headers })
        expect(status).toBe(400)
      }
    })

    it.each([
      ['an unknown parameter', '?colour=red', 'Unknown query parameter "colour"'],
      ['a repeated parameter', '?limit=1&limit=2', '"limit" is given twice'],
      ['limit=1e2', '?limit=1e2', 'limit'],
      ['limit=0x10', '?limit=0x10', 'limit'],
      ['an empty limit', '?limit=', 'limit'],
      ['limit=1.5', '?limit=1.5', 'limit'],
      ['a malformed percent', '?agent=%zz', 'percent'],
      ['half a character', '?agent=%ff', 'percent'],
      ['an item_id of 257 bytes', `?item_id=${'x'.repeat(257)}`, '256 bytes'],
      [
        'an item_id of 65 four-byte characters',
        `?item_id=${encodeURIComponent('😀'.repeat(65))}`,
        '256 bytes',
      ],
    ])('refuses a query with %s [errors.400, input.strict, limits.item-id]', async (_, query, message) => {
      const { status, json } = await given().call('GET', `/v2/runs${query}`)
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
      expect(json.error.message).toContain(message)
    })
  })
}
