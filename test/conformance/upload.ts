import { describe, expect, it } from 'vitest'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }
const PIECE = new TextEncoder().encode(`{"input":"${'x'.repeat(500)}"}\n`.repeat(128))

/** A body of `megabytes`, made as it is taken. */
function pile(megabytes: number, first = ''): ReadableStream<Uint8Array> {
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

/** Bodies that go on after the answer is known. */
export function uploadPart(given: Given): void {
  describe('a long upload', () => {
    it('is told what is wrong even while it is still being sent', async () => {
      const agent = await makeAgent(given())
      const path = `/v1/batches?agent_id=${agent.id}`
      const bad = await given().call('POST', path, { raw: pile(64, '{}\n'.repeat(30)), headers: NDJSON })
      expect([bad.status, bad.json.error.code]).toEqual([400, 'invalid_line'])
      const unknown = '/v1/batches?agent_id=01900000-0000-7000-8000-000000000001'
      expect((await given().call('POST', unknown, { raw: pile(64), headers: NDJSON })).status).toBe(404)
      const anonymous = { token: null, raw: pile(64), headers: NDJSON }
      expect((await given().call('POST', path, anonymous)).status).toBe(401)
      const json = { raw: pile(70, '{"agent_id":'), headers: { 'content-type': 'application/json' } }
      const large = await given().call('POST', '/v1/batches', json)
      expect([large.status, large.json.error.code]).toEqual([400, 'body_too_large'])
    })
  })
}
