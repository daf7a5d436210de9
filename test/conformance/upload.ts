import { describe, expect, it } from 'vitest'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }
const PIECE = new TextEncoder().encode(`{"input":"${'x'.repeat(500)}"}\n`.repeat(128))

/** A body of `megabytes`, produced as it is read. */
function batch(megabytes: number, first = ''): ReadableStream<Uint8Array> {
  let left = megabytes * 2 ** 20
  let head = first
  return new ReadableStream({
    pull(controller) {
      if (head !== '') controller.enqueue(new TextEncoder().encode(head))
      head = ''
      controller.enqueue(PIECE)
      left -= PIECE.length
      if (left <= 0) controller.close()
    },
  })
}

/** A million lines, one of them bad, produced as they are read. */
function millionLines(bad: number, text: string): ReadableStream<Uint8Array> {
  let line = 0
  return new ReadableStream({
    pull(controller) {
      const lines = Array.from({ length: 10_000 }, () =>
        ++line === bad ? `${text}\n` : `{"input":${line}}\n`,
      )
      controller.enqueue(new TextEncoder().encode(lines.join('')))
      if (line === 1_000_000) controller.close()
    },
  })
}

/** Bodies that continue after the answer is known, and bodies as long as a caller likes. */
export function uploadPart(given: Given): void {
  earlyAnswerPart(given)
  millionLinesPart(given)
}

export function earlyAnswerPart(given: Given): void {
  describe('a long upload', () => {
    it('is answered with its error while it is still being sent', async () => {
      const agent = await makeAgent(given())
      const path = `/v1/batches?agent_id=${agent.id}`
      const bad = await given().call('POST', path, { raw: batch(64, '{}\n'.repeat(30)), headers: NDJSON })
      expect([bad.status, bad.json.error.code]).toEqual([400, 'invalid_line'])
      const unknown = '/v1/batches?agent_id=01900000-0000-7000-8000-000000000001'
      expect((await given().call('POST', unknown, { raw: batch(64), headers: NDJSON })).status).toBe(404)
      const anonymous = { token: null, raw: batch(64), headers: NDJSON }
      expect((await given().call('POST', path, anonymous)).status).toBe(401)
      for (const large of ['/v1/batches', `/v1/agents/${agent.id}/runs`, '/v1/agents']) {
        const json = { raw: batch(65, '{"agent_id":'), headers: { 'content-type': 'application/json' } }
        const { status, json: refused } = await given().call('POST', large, json)
        expect([large, status, refused.error.code]).toEqual([large, 400, 'body_too_large'])
      }
    })
  })
}

function millionLinesPart(given: Given): void {
  describe('a long upload', () => {
    it('of a million lines is refused for a bad one, by its number, and leaves nothing [input.lines, input.all-or-nothing]', async () => {
      const { call, ctx } = given()
      const agent = await makeAgent(given())
      const raw = millionLines(500_123, '{"input":1e999}')
      const { status, json } = await call('POST', `/v1/batches?agent_id=${agent.id}`, {
        raw,
        headers: NDJSON,
      })
      expect({ status, ...json.error }).toMatchObject({
        status: 400,
        code: 'invalid_line',
        message: expect.stringContaining('Line 500123: The number 1e999'),
      })
      expect(json.error.message.match(/Line \d+/g)).toHaveLength(1)
      const [left] = await ctx.sql`
        select (select count(*)::int from runs where agent_id = ${agent.id}) as runs,
          (select count(*)::int from items i where not exists (select from runs r where r.project_id = i.project_id and r.id = i.run_id)) as items`
      expect(left).toEqual({ runs: 0, items: 0 })
    }, 120_000)
  })
}
