import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { createClient } from './client.ts'

const OURS = { 'assay-version': '0.1.0' }
const json = { ...OURS, 'content-type': 'application/json' }

describe('a streamed response', () => {
  it.each([
    ['events', 'text/event-stream'],
    ['records', 'application/x-ndjson'],
    ['results', 'application/x-ndjson'],
  ] as const)('is requested with its own content type: %s', async (read, type) => {
    const asked: Headers[] = []
    const client = createClient({
      baseUrl: 'http://assay.test',
      apiKey: 'pk_secret',
      fetch: async (_, init) => {
        asked.push(new Headers(init?.headers))
        return new Response('', { headers: { ...OURS, 'content-type': type } })
      },
    })
    if (read === 'events') await client.runEvents('r', { seen: '7' }).next()
    else if (read === 'records') await client.records().next()
    else await client.results({ run_id: 'r', format: 'ndjson' })
    expect(asked.map(headers => headers.get('accept'))).toEqual([type])
    expect(asked[0]!.get('last-event-id')).toBe(read === 'events' ? '7' : null)
  })
})

describe('a response', () => {
  const RUNS = '[{"name":"fünf"}]'
  const BYTES = String(new TextEncoder().encode(RUNS).length)

  it.each([
    ['that says its length', { ...json, 'content-length': BYTES }],
    ['that says none', json],
  ])('%s is parsed once', async (_, headers) => {
    const fetch = async () => new Response(RUNS, { headers: { ...headers, 'x-next-cursor': 'c' } })
    const client = createClient({ baseUrl: 'http://assay.test', apiKey: 'pk_secret', fetch })
    const parse = vi.spyOn(JSON, 'parse')
    try {
      const { data, response } = await client.GET('/v2/runs')
      expect(data).toEqual([{ name: 'fünf' }])
      expect(response.headers.get('x-next-cursor')).toBe('c')
      expect(await client.submit({ agent: 'a' }, [])).toEqual([{ name: 'fünf' }])
      expect(parse.mock.calls.filter(([text]) => text === RUNS)).toHaveLength(2)
    } finally {
      parse.mockRestore()
    }
  })
})

describe('a streamed submission', () => {
  const PIECE_BYTES = 64 * 1024
  const PIECES = 1024

  async function submitting(
    answer: RequestListener,
    sent: (pieces: WeakRef<object>[]) => unknown = () => {},
  ) {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const pieces: WeakRef<object>[] = []
      const lines = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const piece = new Uint8Array(PIECE_BYTES).fill(10)
          controller.enqueue(piece)
          if (pieces.push(new WeakRef(piece)) < PIECES) return
          await sent(pieces)
          controller.close()
        },
      })
      return await createClient({ baseUrl, apiKey: 'pk_secret' }).submitLines({ agent: 'a' }, lines)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it('keeps no piece in memory that was sent', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    let kept = PIECES
    const accept: RequestListener = (request, response) =>
      request.resume().on('end', () => response.writeHead(202, json).end('{"run_id":"r"}'))
    await submitting(accept, async pieces => {
      await setImmediate() // what was looked at is kept until the turn ends
      collect()
      kept = pieces.filter(piece => piece.deref() !== undefined).length
    })
    expect(kept).toBeLessThan(PIECES / 2)
  })

  it('that is redirected is refused with the place', async () => {
    const redirect: RequestListener = (request, response) => {
      request.resume()
      response.writeHead(308, { location: `https://assay.example.com${request.url}` }).end()
    }
    await expect(submitting(redirect)).rejects.toMatchObject({
      code: 'redirected',
      hint: expect.stringContaining('ASSAY_BASE_URL=https://assay.example.com '),
    })
  })
})
