import { describe, expect, it } from 'vitest'
import { makeAgent, makeRun } from './make.ts'
import type { Given } from './suite.ts'

interface Event {
  id: string
  event: string
  data: { status: string; completed: number }
}

/** Events of a run's progress. */
export function eventsPart(given: Given): void {
  describe('followRun', () => {
    it('reports each change of a run, then its end, and resumes where a caller left off [runs.events]', async () => {
      const world = given()
      const { sql } = world.ctx
      const agent = await makeAgent(world)
      const run = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }])
      const follow = async (headers: Record<string, string> = {}) => {
        const authorization = `Bearer ${world.first.api_key}`
        const response = await fetch(`${world.url}/v2/runs/${run}/events`, {
          // Some platforms pass bytes on at once only to callers that ask for a stream.
          headers: { authorization, accept: 'text/event-stream', ...headers },
        })
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
        return eventsOf(response.body!)
      }
      const events = await follow()
      const first = await next(events)
      expect([first.event, first.data.status, first.data.completed]).toEqual(['progress', 'queued', 0])
      await sql`update runs set started_at = now(), ok = 1, next_seq = 3, running = 1 where id = ${run}`
      const second = await next(events)
      expect([second.event, second.data.status, second.data.completed]).toEqual(['progress', 'running', 1])
      await events.return(undefined)

      // Nothing has changed since, so the next event is the end.
      const again = await follow({ 'last-event-id': second.id })
      await sql`update runs set ok = 2, running = 0, finished_at = now() where id = ${run}`
      const end = await next(again)
      expect([end.event, end.data.status, end.data.completed]).toEqual(['end', 'completed', 2])
      expect((await again.next()).done).toBe(true)

      const whole = await world.call('GET', `/v2/runs/${run}/events`)
      expect(whole.text).toContain(`id: ${end.id}\nevent: end\ndata: {`)
      const over = await world.call('GET', `/v2/runs/${run}/events`, { headers: { 'last-event-id': end.id } })
      expect([over.status, over.text]).toEqual([204, ''])
    })

    it('sends its first bytes before the end if asked to wait, so that a buffering proxy shows [runs.events-wait]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const run = await makeRun(world, agent.id, [{ input: 1 }])
      await world.ctx
        .sql`update runs set started_at = now(), ok = 1, next_seq = 2, finished_at = now() where id = ${run}`
      const authorization = `Bearer ${world.first.api_key}`
      const response = await fetch(`${world.url}/v2/runs/${run}/events`, {
        headers: { authorization, accept: 'text/event-stream', prefer: 'respond-async, wait=1' },
      })
      expect(response.headers.get('preference-applied')).toBe('wait=1')
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      expect((await reader.read()).value).toMatch(/^retry: \d+\n\n$/)
      expect((await reader.read()).value).toContain('event: end')
    })

    it('answers 404 for an unknown run', async () => {
      const unknown = '01900000-0000-7000-8000-000000000000'
      const { status, json } = await given().call('GET', `/v2/runs/${unknown}/events`)
      expect([status, json.error.code]).toEqual([404, 'not_found'])
    })
  })
}

async function next(events: AsyncGenerator<Event>): Promise<Event> {
  const { done, value } = await events.next()
  if (done) throw new Error('the stream is over')
  return value
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of body) {
    text += decoder.decode(part, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s, 2)))
      if (fields.data) yield { id: fields.id, event: fields.event, data: JSON.parse(fields.data) }
    }
  }
}
