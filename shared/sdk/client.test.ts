import { describe, expect, it } from 'vitest'
import { createClient } from './client.ts'

const OURS = { 'assay-version': '0.1.0' }

describe('what is read as it comes', () => {
  it.each([
    ['events', 'text/event-stream'],
    ['records', 'application/x-ndjson'],
    ['results', 'application/x-ndjson'],
  ] as const)('is asked for as a stream: %s', async (read, type) => {
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
