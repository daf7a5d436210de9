import http, { type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Listener } from './listening.ts'
import { startRouter } from './router.ts'

const ROUTES = [
  { method: 'get', path: '/v1/runs', unit: 'runs' },
  { method: 'post', path: '/v1/runs/{runId}/items', unit: 'items' },
  { method: 'post', path: '/v1/runs', unit: 'runs', makes_work: true as const },
]
const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** A router in front of one server that plays all units; each unit has its name in the path. */
async function routed(handle: RequestListener): Promise<{ router: Listener; log: string[] }> {
  const server = http.createServer(handle).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  open.push({ close: () => server.close() && server.closeAllConnections() })
  return before(`http://127.0.0.1:${(server.address() as AddressInfo).port}/at/{unit}/`)
}

async function before(unitUrl: string) {
  const log: string[] = []
  const options = { port: 0, host: '127.0.0.1', routes: ROUTES, unitUrl }
  const router = await startRouter({ ...options, writeLog: line => log.push(line) })
  open.push(router)
  return { router, log }
}

describe('the router', () => {
  it('notifies the consumer about requests that make work, once for several, and not about requests that only read', async () => {
    const asked: string[] = []
    const notified = Promise.withResolvers<void>()
    const { router } = await routed((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      if (request.url!.startsWith('/at/consume')) notified.resolve()
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    await fetch(`${router.url}/v1/runs`)
    expect(asked).toEqual(['GET /at/runs/v1/runs'])
    for (let n = 0; n < 3; n++) await fetch(`${router.url}/v1/runs`, { method: 'POST', body: '{}' })
    await notified.promise
    expect(asked.filter(one => one.includes('consume'))).toEqual(['GET /at/consume/healthz'])
  })

  it('forwards a request to its function unchanged, with the caller’s address, host and protocol', async () => {
    const { router } = await routed(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { url, method, headers } = request
      response.writeHead(202, {
        'content-type': 'application/json',
        'x-request-id': 'r',
        'set-cookie': ['a=1', 'b=2'],
      })
      response.end(JSON.stringify({ url, method, headers, body }))
    })
    const response = await fetch(`${router.url}/v1/runs/7/items?dry_run=true`, {
      method: 'POST',
      body: 'lines',
      headers: { 'content-type': 'application/x-ndjson', 'x-forwarded-for': '203.0.113.7' },
    })
    expect([response.status, response.headers.getSetCookie()]).toEqual([202, ['a=1', 'b=2']])
    expect(await response.json()).toMatchObject({
      url: '/at/items/v1/runs/7/items?dry_run=true',
      method: 'POST',
      body: 'lines',
      headers: {
        'content-type': 'application/x-ndjson',
        'x-forwarded-for': '203.0.113.7, 127.0.0.1',
        'x-forwarded-host': new URL(router.url).host,
        'x-forwarded-proto': 'http',
      },
    })
  })

  it('streams lines as they arrive, in both directions', async () => {
    const { router } = await routed((request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      request.pipe(response) // an echo
    })
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const writer = body.writable.getWriter()
    const line = (text: string) => writer.write(new TextEncoder().encode(`${text}\n`))
    void line('1')
    const init = { method: 'POST', body: body.readable, duplex: 'half' } as RequestInit
    const response = await fetch(`${router.url}/v1/runs/7/items`, init)
    const lines = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await lines.read()).value).toBe('1\n') // before the second line is sent
    void line('2')
    expect((await lines.read()).value).toBe('2\n')
    void writer.close()
    expect((await lines.read()).done).toBe(true)
  })

  it('breaks off the response when the function breaks it off', async () => {
    const { router } = await routed((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write('{"n":1}\n', () => response.destroy())
    })
    const response = await fetch(`${router.url}/v1/runs`)
    await expect(response.text()).rejects.toThrow()
  })

  it('cancels the request to the function when the caller is gone', async () => {
    const gone = Promise.withResolvers<void>()
    const { router } = await routed((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': here\n\n')
      response.once('close', gone.resolve)
    })
    const leaving = new AbortController()
    await fetch(`${router.url}/v1/runs`, { signal: leaving.signal })
    leaving.abort()
    await gone.promise
  })

  it('replaces a platform’s own error response with an error of the API', async () => {
    const { router, log } = await routed((request, response) => {
      response.writeHead(request.method === 'POST' ? 429 : 504, { 'content-type': 'text/plain' }).end('limit')
    })
    const late = await fetch(`${router.url}/v1/runs`)
    expect([late.status, (await late.json()).error.code]).toEqual([500, 'internal'])
    expect(JSON.parse(log[0]!)).toMatchObject({ unit: 'runs', error: 'it answered 504' })
    const busy = await fetch(`${router.url}/v1/runs/7/items`, { method: 'POST', body: 'x' })
    expect([busy.status, busy.headers.get('retry-after'), (await busy.json()).error.code]).toEqual([
      429,
      '1',
      'rate_limited',
    ])
  })

  it('names the function that did not answer, and logs the cause with the request id [log.unit_did_not_answer]', async () => {
    const { router, log } = await before('http://127.0.0.1:1/{unit}')
    const response = await fetch(`${router.url}/v1/runs`)
    expect([response.status, (await response.json()).error.message]).toEqual([
      500,
      expect.stringContaining('"runs" did not answer'),
    ])
    expect(JSON.parse(log[0]!)).toMatchObject({
      event: 'unit_did_not_answer',
      request_id: response.headers.get('x-request-id'),
      error: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('answers requests that no unit serves itself, as the app does', async () => {
    const { router } = await before('http://127.0.0.1:1/{unit}')
    const nothing = await fetch(`${router.url}/v1/run`)
    expect([nothing.status, (await nothing.json()).error]).toEqual([
      404,
      expect.objectContaining({ code: 'not_found', hint: expect.stringContaining('GET /v1/runs') }),
    ])
    const prefixed = await fetch(`${router.url}/assay/v1/runs`)
    expect((await prefixed.json()).error.hint).toContain('a proxy that leads here by /assay must take it off')
    const malformed = await fetch(`${router.url}/v1/%zz`)
    expect([malformed.status, (await malformed.json()).error.code]).toEqual([400, 'invalid_request'])
    expect((await fetch(`${router.url}/healthz`)).status).toBe(200)
  })

  it.each(['http://assay', '{unit}', 'ftp://{unit}'])(
    'does not start with %s as the URL of the units',
    async unitUrl => {
      await expect(before(unitUrl)).rejects.toThrow(/ASSAY_UNIT_URL: ".*" must look like/)
    },
  )
})
