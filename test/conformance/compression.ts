import { request as httpRequest, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { makeAgent, makeRun } from './make.ts'
import type { Given } from './suite.ts'

const UNPACK: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync }
const OWN = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' }

/** Answers as they are sent: `fetch` unpacks them. */
export function compressionPart(given: Given): void {
  interface Sent {
    status: number
    headers: IncomingMessage['headers']
    bytes: Buffer
    text: string
  }

  const open = (path: string, { method = 'GET', body = '', ...headers }: Record<string, string> = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = { 'accept-encoding': 'gzip', authorization: `Bearer ${given().first.api_key}`, ...headers }
      httpRequest(new URL(path, given().url), { method, headers: sent }, resolve)
        .once('error', reject)
        .end(body)
    })

  async function ask(path: string, options?: Record<string, string>): Promise<Sent> {
    const {
      statusCode: status = 0,
      headers,
      ...stream
    } = await open(path, options).then(async answer => {
      const bytes = Buffer.concat(await answer.toArray())
      return { statusCode: answer.statusCode, headers: answer.headers, bytes }
    })
    const unpack = UNPACK[headers['content-encoding'] ?? ''] ?? ((bytes: Buffer) => bytes)
    return { status, headers, bytes: stream.bytes, text: unpack(stream.bytes).toString() }
  }

  const signIn = async () => {
    const body = new URLSearchParams(given().first.account).toString()
    const { headers } = await ask('/dashboard/sign-in', { ...OWN, method: 'POST', body })
    return headers['set-cookie']![0]!.split(';')[0]!
  }

  describe('compression', () => {
    it('takes place for pages, lists, exports and files over 1 KB, as the caller accepts it [service.compressed]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const items = Array.from({ length: 30 }, (_, n) => ({
        item_id: `ticket-${n}`,
        input: { text: 'refund' },
      }))
      const run = await makeRun(world, agent.id, items)
      const cookie = await signIn()
      for (const [path, headers] of [
        [`/v2/runs/${run}/items`, {}],
        ['/v1/durable/runs', { accept: 'application/x-ndjson' }],
        [`/v1/results?run_id=${run}`, { accept: 'text/csv' }],
        ['/openapi.json', {}],
        ['/docs', {}],
        [`/dashboard/runs/${run}`, { cookie }],
        [`/dashboard/runs/${run}/results/file?format=csv`, { cookie }],
      ] as const) {
        const plain = await ask(path, { ...headers, 'accept-encoding': 'identity' })
        const packed = await ask(path, headers)
        expect([path, packed.status, packed.headers['content-encoding']]).toEqual([path, 200, 'gzip'])
        expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([
          undefined,
          'accept-encoding',
        ])
        expect(packed.headers.vary).toBe('accept-encoding')
        expect(packed.bytes.length).toBeLessThan(plain.bytes.length)
        if (!path.startsWith('/dashboard/runs')) expect(packed.text).toBe(plain.text)
        const none = await ask(path, { ...headers, 'accept-encoding': 'gzip;q=0, br;q=0' })
        expect([path, none.headers['content-encoding']]).toEqual([path, undefined])
        const head = await ask(path, { ...headers, method: 'HEAD' })
        expect([head.status, head.headers['content-encoding'], head.bytes.length]).toEqual([
          200,
          undefined,
          0,
        ])
      }
      const short = await ask('/health')
      expect([short.text, short.headers['content-encoding']]).toEqual(['{"status":"ok"}', undefined])
    })

    it('never takes place where an answer shows a secret [service.secrets-not-compressed]', async () => {
      const world = given()
      const cookie = await signIn()
      const of = `/dashboard/projects/${world.first.project_id}`
      const made = await ask(`${of}/keys`, { ...OWN, cookie, method: 'POST', body: 'name=another' })
      expect([made.status, made.headers['content-encoding']]).toEqual([200, undefined])
      expect(made.text).toContain('pk_')
      const signing = await ask(`${of}/signing-secret`, { ...OWN, cookie, method: 'POST' })
      expect([signing.status, signing.headers['content-encoding']]).toEqual([200, undefined])
      expect(signing.text).toContain('whsec_')
      const form = await ask('/dashboard/sign-in', { ...OWN })
      expect([form.status, form.headers['content-encoding']]).toEqual([200, undefined])
      const name = 'a name that is repeated '.repeat(5)
      const key = await ask(`/v1/projects/${world.first.project_id}/api-keys`, {
        method: 'POST',
        'content-type': 'application/json',
        body: JSON.stringify({ name }),
      })
      expect([key.status, key.headers['content-encoding'], key.headers.vary]).toEqual([
        201,
        undefined,
        undefined,
      ])
    })

    it('holds no event back [service.events-not-held]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const run = await makeRun(world, agent.id, [{ input: 1 }])
      const events = await open(`/v2/runs/${run}/events`, {
        accept: 'text/event-stream',
        'accept-encoding': 'br, gzip',
      })
      expect(events.headers['content-encoding']).toBeUndefined()
      let text = ''
      for await (const piece of events) {
        text += piece
        if (text.includes('event: progress')) break // while the run is open, so that the stream is
      }
      expect(text).toContain('event: progress')
    })
  })
}
