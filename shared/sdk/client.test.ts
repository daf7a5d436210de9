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
