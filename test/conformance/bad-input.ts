import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { derivedKey } from '../../shared/kernel/secrets.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'
import { asked, operationsOf, type Swept, sessionFor, tokenFor } from './sweep.ts'
import { ROWS } from './sweep-rows.ts'
import { makeTenants, type Tenant } from './sweep-tenants.ts'
import type { World } from './world.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const NDJSON = { 'content-type': 'application/x-ndjson' }
/** They read nothing before a caller proves the right to send it: by a trigger's secret or an address for answers. */
const PROVING = ['answerItems', 'fireTrigger']
const utf8 = new TextEncoder()

/** Input that no operation accepts, sent to every operation to which it could be sent. */
export function badInputPart(given: Given): void {
  describe('bad input', () => {
    let world: World
    let tenant: Tenant
    let operations: Swept[]
    beforeAll(async () => {
      world = given()
      tenant = (await makeTenants(world))[0]!
      operations = operationsOf(world)
    }, 120_000)

    const BODIES: [string, BodyInit, string][] = [
      ['empty', '', 'invalid_request'],
      ['cut off', '{"a":', 'invalid_json'],
      ['an array', '[]', 'invalid_request'],
      ['null', 'null', 'invalid_request'],
      ['two values', '{} {}', 'invalid_json'],
      ['with a repeated key', '{"a":1,"\\u0061":2}', 'duplicate_key'],
      ['with an unknown field', '{"no such field":1}', 'invalid_request'],
      ['with the field __proto__', '{"__proto__":{"a":1}}', 'invalid_request'],
      ['65 levels deep', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, 'too_deep'],
      ['with the number 1e400', '{"a":1e400}', 'number_out_of_range'],
      ['not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'invalid_utf8'],
      ['preceded by a byte order mark', new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), 'invalid_json'],
    ]
    it.each(BODIES)('a body that is %s is refused [errors.400, input.json]', async (_, raw, code) => {
      for (const swept of operations) {
        const { requestBody } = swept.operation
        if (requestBody === undefined || (raw === '' && requestBody.required !== true)) continue
        if (PROVING.includes(swept.id)) continue
        const answer = await asked(
          world,
          swept,
          tenant,
          sessionFor(swept, tenant),
          {},
          { raw, headers: JSON_TYPE },
        )
        expect([swept.id, answer.status, answer.json.error.code]).toEqual([swept.id, 400, code])
      }
    })

    it('a compressed body is refused, however small', async () => {
      const bomb = gzipSync(new Uint8Array(64 << 20))
      const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' }
      for (const swept of operations.filter(({ operation }) => operation.requestBody !== undefined)) {
        if (PROVING.includes(swept.id)) continue
        const answer = await asked(
          world,
          swept,
          tenant,
          sessionFor(swept, tenant),
          {},
          { raw: bomb, headers },
        )
        expect([swept.id, answer.status, answer.json.error.code]).toEqual([swept.id, 400, 'invalid_request'])
      }
      const order = { token: tenant.key, body: { agent_id: tenant.agent_id, name: 'compressed' } }
      const { url, secret } = (await world.call('POST', '/v1/triggers', order)).json
      const fired = await world.call('POST', new URL(url).pathname, { raw: bomb, headers, token: secret })
      expect([fired.status, fired.json.error.code]).toEqual([400, 'invalid_request'])
      const lines = { raw: bomb, headers: { ...NDJSON, 'content-encoding': 'gzip' }, token: tenant.key }
      const answer = await world.call('POST', `/v1/batches?agent_id=${tenant.agent_id}`, lines)
      expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request'])
    })

    it.each(['1e2', '0x10', '', ' 1', '1.0', '+1', 'NaN', '१'])('limit=%s is refused', async limit => {
      for (const swept of operations.filter(({ query }) => query.includes('limit'))) {
        const answer = await asked(world, swept, tenant, tokenFor(swept, tenant), { query: { limit } })
        expect([swept.id, answer.status, answer.json.error.code]).toEqual([swept.id, 400, 'invalid_request'])
      }
    })

    it.each(['-1', '0', '1', '99999999999999999999'])('limit=%s is accepted', async limit => {
      for (const swept of operations.filter(({ query }) => query.includes('limit'))) {
        const answer = await asked(world, swept, tenant, tokenFor(swept, tenant), { query: { limit } })
        expect([swept.id, answer.status]).toEqual([swept.id, 200])
      }
    })

    it('an unknown parameter and a repeated one are refused [input.strict]', async () => {
      for (const swept of operations) {
        const token = tokenFor(swept, tenant)
        const unknown = await asked(world, swept, tenant, token, { query: { colour: 'red' } })
        expect([swept.id, unknown.status, unknown.json.error.code]).toEqual([
          swept.id,
          400,
          'invalid_request',
        ])
        const twice = await asked(world, swept, tenant, token, { search: 'limit=1&limit=1' })
        expect([swept.id, twice.status, twice.json.error.code]).toEqual([swept.id, 400, 'invalid_request'])
      }
    })

    it.each(['%zz', '%', '%ff', '%c3%28', '%ed%a0%80'])(
      'malformed percent-encoding is refused: %s',
      async text => {
        for (const path of [`/v2/runs?agent=${text}`, `/v1/agents/${text}`, `/${text}`]) {
          const { status, json } = await world.call('GET', path)
          expect([path, status, json.error.code]).toEqual([path, 400, 'invalid_request'])
        }
      },
    )

    it.each([
      ['from', '2026-02-30T00:00:00Z'],
      ['from', '2026-02-03T00:00:00'],
      ['to', '2026-02-03'],
      ['to', 'now'],
      ['from', ''],
      ['min_cost_usd', 'NaN'],
      ['min_cost_usd', '-1'],
      ['q', 'x'.repeat(257)],
      ['cursor', 'bm90IG9uZQ'],
      ['project_id', 'not-an-id'],
      ['item_id', 'x'.repeat(257)],
      ['item_id', '😀'.repeat(65)],
      ['item_id', ''],
      ['item_id', 'a\0'],
      ['partition_key', 'x'.repeat(257)],
    ])('%s=%s is refused wherever it is a parameter [errors.400, limits.item-id]', async (name, value) => {
      const code = name === 'cursor' ? 'invalid_cursor' : 'invalid_request'
      const concerned = operations.filter(({ query }) => query.includes(name))
      if (name !== 'partition_key') expect(concerned).not.toEqual([])
      for (const swept of concerned) {
        const answer = await asked(world, swept, tenant, tokenFor(swept, tenant), {
          query: { [name]: value },
        })
        expect([swept.id, answer.status, answer.json.error.code]).toEqual([swept.id, 400, code])
      }
    })

    it('a time range that ends before it begins is refused', async () => {
      const query = { from: '2026-02-03T00:00:01Z', to: '2026-02-03T00:00:00Z' }
      for (const swept of operations.filter(({ query }) => query.includes('from'))) {
        const answer = await asked(world, swept, tenant, tokenFor(swept, tenant), { query })
        expect([swept.id, answer.status, answer.json.error.code]).toEqual([swept.id, 400, 'invalid_request'])
      }
    })

    it('a change that changes nothing is refused [errors.400]', async () => {
      for (const swept of operations.filter(({ method }) => method === 'patch')) {
        const answer = await asked(
          world,
          swept,
          tenant,
          sessionFor(swept, tenant),
          {},
          { raw: '{}', headers: JSON_TYPE },
        )
        expect([swept.id, answer.status, answer.json.error.code]).toEqual([swept.id, 400, 'invalid_request'])
      }
    })

    const KEYS: [string, string][] = [
      ['of 257 bytes', JSON.stringify('x'.repeat(257))],
      ['of 65 four-byte characters', JSON.stringify('😀'.repeat(65))],
      ['that is empty', '""'],
      ['that is null', 'null'],
      ['that is a number', '7'],
      ['with NUL', '"a\\u0000"'],
      ['with a newline', '"a\\nb"'],
      ['with a lone surrogate', '"\\ud800"'],
    ]
    it.each(KEYS)(
      'an item_id or a partition_key %s is refused in every form of submission [limits.item-id, input.all-or-nothing]',
      async (_, text) => {
        const { id, slug } = await makeAgent(world)
        for (const field of ['item_id', 'partition_key']) {
          const item = `"input":1,"${field}":${text}`
          for (const [path, raw, headers, code] of [
            [`/v1/agents/${id}/runs`, `{${item}}`, JSON_TYPE, 'invalid_request'],
            ['/v1/runs', `{"agent":"${slug}",${item}}`, JSON_TYPE, 'invalid_request'],
            ['/v1/batches', `{"agent_id":"${id}","items":[{${item}}]}`, JSON_TYPE, 'invalid_request'],
            [`/v1/batches?agent_id=${id}`, `{${item}}\n`, NDJSON, 'invalid_line'],
          ] as const) {
            const answer = await world.call('POST', path, { raw, headers })
            expect([path, answer.status, answer.json.error.code]).toEqual([path, 400, code])
          }
        }
        expect((await world.call('GET', `/v2/runs?agent=${slug}`)).json).toEqual([])
      },
    )

    it.each([
      ['budget_cents', ['-1', '1.5', '"100"', 'true', 'null', '9007199254740992', '1e400']],
      ['timeout_seconds', ['0', '-1', '1.5', '"1"', '86401']],
      ['patience_seconds', ['59', '-1', '60.5', '"1h"', '2592001']],
      ['concurrency', ['0', '-1', '1.5', '1e9']],
      ['callback_url', ['""', '"ftp://a/"', '"http://u:p@a/"', '"x"', '7']],
      ['idempotency_key', ['""', '7', 'null', `"${'k'.repeat(257)}"`]],
      ['name', ['""', '7', `"${'n'.repeat(257)}"`, '"a\\u0000"']],
    ])('%s of %j is refused in every form of submission that takes it', async (field, values) => {
      const { id, slug } = await makeAgent(world)
      const onlyBatches = field === 'concurrency' || field === 'name'
      for (const value of values) {
        const query = encodeURIComponent(value.startsWith('"') ? JSON.parse(value) : value)
        const code = value === '1e400' ? 'number_out_of_range' : 'invalid_request'
        // In a query everything is text, so 7, null and "100" are valid words and numbers there.
        const asText = /^("?\d+"?|null|"x")$/.test(value) && !/^-|^0$|9007|86401/.test(value)
        const forms: [string, string, Record<string, string>, string][] = [
          ['/v1/batches', `{"agent_id":"${id}","items":[{"input":1}],"${field}":${value}}`, JSON_TYPE, code],
        ]
        if (!onlyBatches) {
          forms.push([`/v1/agents/${id}/runs`, `{"input":1,"${field}":${value}}`, JSON_TYPE, code])
          forms.push(['/v1/runs', `{"agent":"${slug}","input":1,"${field}":${value}}`, JSON_TYPE, code])
        }
        if (!asText) {
          const path = `/v1/batches?agent_id=${id}&${field}=${query}`
          forms.push([path, '{"input":1}\n', NDJSON, 'invalid_request'])
        }
        for (const [path, raw, headers, code] of forms) {
          const answer = await world.call('POST', path, { raw, headers })
          expect([path, value, answer.status, answer.json.error.code]).toEqual([path, value, 400, code])
        }
      }
    })

    it.each(['No Slug', 'UPPER', '-first', 'ünï', '', 'a/b', 's'.repeat(65), 7])(
      'slug %s is refused',
      async slug => {
        const { status, json } = await world.call('POST', '/v1/agents', { body: { name: 'a', slug } })
        expect([status, json.error.code]).toEqual([400, 'invalid_request'])
      },
    )

    describe('credentials [auth.unauthenticated, auth.forged]', () => {
      async function token(claims: { alg?: string; audience?: string; issuer?: string; expires_s?: number }) {
        const { ctx } = world
        const { json } = await world.call('POST', '/v1/sessions', {
          token: null,
          body: given().first.account,
        })
        const jwt = new SignJWT({})
          .setProtectedHeader({ alg: claims.alg ?? 'HS256' })
          .setSubject(json.session_id)
          .setIssuer(claims.issuer ?? 'assay')
          .setAudience(claims.audience ?? 'assay-api')
          .setExpirationTime(Math.floor(Date.now() / 1000) + (claims.expires_s ?? 60))
        return { jwt, secret: await derivedKey(ctx.config.master_key, 'session') }
      }
      const status = async (bearer: string) =>
        (await world.call('GET', '/v1/projects', { token: bearer })).status

      it('a token that this service would sign is accepted, so those below are refused for their reasons', async () => {
        const { jwt, secret } = await token({})
        expect(await status(await jwt.sign(secret))).toBe(200)
      })

      it.each([
        ['expired', { expires_s: -1 }],
        ['for another audience', { audience: 'other' }],
        ['of another issuer', { issuer: 'other' }],
        ['signed with HS512', { alg: 'HS512' }],
      ])('a session token %s is refused', async (_, claims) => {
        const { jwt, secret } = await token(claims)
        const key = 'alg' in claims ? new Uint8Array([...secret, ...secret]) : secret
        expect(await status(await jwt.sign(key))).toBe(401)
      })

      it('a session token with alg none, or signed with another secret or an asymmetric key, is refused', async () => {
        const { jwt, secret } = await token({})
        const [head, payload, signature] = (await jwt.sign(secret)).split('.') as [string, string, string]
        const none = btoa('{"alg":"none"}').replaceAll('=', '')
        expect(await status(`${none}.${payload}.`)).toBe(401)
        expect(await status(`${none}.${payload}.${signature}`)).toBe(401)
        expect(await status(`${head}.${payload}.`)).toBe(401)
        expect(await status(await (await token({})).jwt.sign(new Uint8Array(32)))).toBe(401)
        const { privateKey, publicKey } = await crypto.subtle.generateKey(
          {
            name: 'RSASSA-PKCS1-v1_5',
            modulusLength: 2048,
            publicExponent: new Uint8Array([1, 0, 1]),
            hash: 'SHA-256',
          },
          true,
          ['sign', 'verify'],
        )
        expect(await status(await (await token({ alg: 'RS256' })).jwt.sign(privateKey))).toBe(401)
        // Key confusion: a public key used as an HMAC secret.
        const spki = new Uint8Array(await crypto.subtle.exportKey('spki', publicKey))
        expect(await status(await (await token({})).jwt.sign(spki))).toBe(401)
        const rs = btoa('{"alg":"RS256"}').replaceAll('=', '')
        expect(await status(`${rs}.${payload}.${signature}`)).toBe(401)
      })

      it('two Authorization headers are refused, even of the same valid key', async () => {
        const line = `authorization: Bearer ${world.first.api_key}\r\n`
        expect(await raw(world.url, line)).toMatch(/^HTTP\/1.1 200 /)
        expect(await raw(world.url, line + line)).toMatch(/^HTTP\/1.1 401 /)
      })
    })

    it('has rows only for operations that exist', () => {
      const known = new Set(operations.map(swept => swept.id))
      expect(Object.keys(ROWS).filter(id => !known.has(id))).toEqual([])
    })
  })
}

/** The head of an answer to a request with these header lines, sent as they are. */
function raw(url: string, lines: string): Promise<string> {
  const { hostname, port, host } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.once('error', reject)
    socket.once('data', data => {
      socket.destroy()
      resolve(String(data))
    })
    socket.write(
      utf8.encode(`GET /v1/projects HTTP/1.1\r\nhost: ${host}\r\n${lines}connection: close\r\n\r\n`),
    )
  })
}
