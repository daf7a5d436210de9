import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  acceptedCoding,
  type Codings,
  type Compressor,
  compressed,
  textAnswer,
  withSecret,
} from './compression.ts'

const GZIP: Codings = { gzip: () => new CompressionStream('gzip') as Compressor }
const TEXT = 'a text that repeats itself. '.repeat(100)
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const asked = (headers: Record<string, string> = { 'accept-encoding': 'gzip' }, method = 'GET') =>
  new Request('http://assay.test/', { method, headers })
const codingOf = (response: Response, request = asked()) =>
  compressed(request, response, GZIP).headers.get('content-encoding')

describe('the coding of an answer', () => {
  it.each([
    ['', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP;Q=0.3', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['gzip;q=0.8, br;q=0.8', 'br'],
    ['gzip;q=0', undefined],
    ['gzip; q=0.000, br', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity;q=0, *;q=0', undefined],
    ['deflate, zstd', undefined],
    ['gzip;q=nonsense', undefined],
    [',,;q=1,', undefined],
    [`${'zstd, '.repeat(1000)}gzip`, undefined],
  ])('for "%s" is %s', (accepted, coding) => {
    expect(acceptedCoding(accepted, ['br', 'gzip'])).toBe(coding)
  })
})

describe('an answer', () => {
  it('over 1 KB comes back as it was, and says how it was sent', async () => {
    const sent = compressed(asked(), textAnswer(TEXT, { status: 201, headers: HTML }), GZIP)
    expect(sent.status).toBe(201)
    expect([sent.headers.get('content-encoding'), sent.headers.get('vary')]).toEqual([
      'gzip',
      'accept-encoding',
    ])
    const bytes = Buffer.from(await sent.arrayBuffer())
    expect(bytes.length).toBeLessThan(TEXT.length / 10)
    expect(gunzipSync(bytes).toString()).toBe(TEXT)
  })

  it('keeps what else it varies by, has a weak etag, and the length of no other bytes', () => {
    const headers = { ...HTML, vary: 'accept', etag: '"1"', 'content-length': String(TEXT.length) }
    const sent = compressed(asked(), new Response(TEXT, { headers }), GZIP)
    expect(sent.headers.get('vary')).toBe('accept, accept-encoding')
    expect([sent.headers.get('etag'), sent.headers.get('content-length')]).toEqual(['W/"1"', null])
  })

  it.each<[string, Response, Request?]>([
    ['is short', textAnswer('short', { headers: HTML })],
    ['shows a secret', withSecret(textAnswer(TEXT, { headers: HTML }))],
    ['is an image', new Response(TEXT, { headers: { 'content-type': 'image/png' } })],
    ['has no type', new Response(new Blob([TEXT]))],
    [
      'is compressed already',
      new Response(TEXT, { headers: { 'content-type': 'text/csv', 'content-encoding': 'zstd' } }),
    ],
    ['is an event stream', new Response(TEXT, { headers: { 'content-type': 'text/event-stream' } })],
    [
      'must arrive piece by piece',
      new Response(TEXT, { headers: { ...HTML, 'cache-control': 'no-store, no-transform' } }),
    ],
    ['is a range of bytes', new Response(TEXT, { status: 206, headers: HTML })],
    ['has no body', new Response(null, { status: 204, headers: HTML })],
    ['is of HEAD', new Response(null, { headers: HTML }), asked(undefined, 'HEAD')],
    ['goes to a caller that accepts none', textAnswer(TEXT, { headers: HTML }), asked({})],
  ])('that %s is sent as it is', (_, response, request) => {
    expect(codingOf(response, request)).toBe(response.headers.get('content-encoding'))
  })

  it('that breaks off arrives up to there, and then breaks off', async () => {
    let pieces = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pieces++ === 3) return controller.error(new Error('the store is gone'))
        controller.enqueue(new TextEncoder().encode(`row ${pieces}\n`))
      },
    })
    const headers = { 'content-type': 'application/x-ndjson' }
    const reader = compressed(asked(), new Response(body, { headers }), GZIP).body!.getReader()
    const got: Uint8Array[] = []
    const readAll = async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) got.push(part.value)
    }
    await expect(readAll()).rejects.toThrow('the store is gone')
    expect(gunzipSync(Buffer.concat(got)).toString()).toBe('row 1\nrow 2\nrow 3\n')
  })

  it('whose compressor fails is made no further, and breaks off', { timeout: 5000 }, async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const body = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(new TextEncoder().encode(TEXT)),
      cancel: resolve,
    })
    const failing = () =>
      new TransformStream({ transform: () => Promise.reject(new Error('no memory')) }) as Compressor
    const sent = compressed(asked(), new Response(body, { headers: HTML }), { gzip: failing })
    await expect(sent.arrayBuffer()).rejects.toThrow('no memory')
    expect(await promise).toMatchObject({ message: 'no memory' })
  })

  it('whose caller leaves is made no further', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(crypto.getRandomValues(new Uint8Array(65_536))),
      cancel: () => resolve(),
    })
    const sent = compressed(asked(), new Response(body, { headers: HTML }), GZIP).body!.getReader()
    await sent.read()
    await sent.cancel()
    await promise
  })
})
