import { describe, expect, it } from 'vitest'
import { consume } from '../../shared/consumer/verbs/consume.ts'
import { ANSWER_URL_HEADER, type ItemLine } from '../../shared/protocol/rules/protocol.ts'
import { makeAgent, makeRun } from './make.ts'
import { called, deploy, works } from './play.ts'
import type { Given } from './suite.ts'
import type { World } from './world.ts'

/** Sends a run's items to an agent that answers `later`; returns the path for its answers and the items it got. */
async function sentOut(world: World, run: string) {
  const sent: { items: ItemLine[]; path: string } = { items: [], path: '' }
  const ctx: World['ctx'] = {
    ...world.ctx,
    async invokeAgent(_, { body, headers }) {
      const items = body
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as ItemLine)
      const isMine = headers['assay-run'] === run
      const { pathname, search } = new URL(headers[ANSWER_URL_HEADER]!)
      if (isMine) Object.assign(sent, { items, path: pathname + search })
      const lines = isMine ? [{ type: 'later' }] : items.flatMap(item => works(item))
      async function* answer() {
        yield new TextEncoder().encode(lines.map(line => `${JSON.stringify(line)}\n`).join(''))
      }
      return { status: 200, contentType: 'application/x-ndjson', body: answer() }
    },
  }
  await consume(ctx)
  return sent
}

/** Answers that agents send after their consumer has disconnected. */
export function answersPart(given: Given): void {
  describe('later answers', () => {
    const post = (world: World, path: string, lines: readonly object[]) =>
      world.call('POST', path, {
        token: null,
        raw: lines.map(line => JSON.stringify(line)).join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      })

    it('are settled like immediate ones, and refused once none is awaited [runs.answer-later, runs.answer-address]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      await deploy(world, agent.id)
      const run = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }])
      const { items, path } = await sentOut(world, run)
      const [one, other] = items as [ItemLine, ItemLine]

      const first = await post(world, path, [called(one, 'gpt-5-mini', 1000), ...works(one)])
      expect([first.status, first.json]).toEqual([200, { run_id: run, open: [other.seq] }])
      const bad = await post(world, path, [{ type: 'song' }])
      expect([bad.status, bad.json.error.code]).toEqual([400, 'invalid_line'])
      const stranger = await post(world, '/v1/answers?to=none', works(other))
      expect([stranger.status, stranger.json.error.code]).toEqual([401, 'unauthenticated'])
      expect((await post(world, path, works(other))).json).toEqual({ run_id: run, open: [] })
      const late = await post(world, path, works(other))
      expect([late.status, late.json.error.code]).toEqual([409, 'claim_ended'])

      const { json } = await world.call('GET', `/v2/runs/${run}`)
      expect(json).toMatchObject({ status: 'completed', completed: 2, worst_outcome_status: 'ok' })
      expect((await world.call('GET', `/v2/runs/${run}/verify`)).json).toMatchObject({ balanced: true })
    })
  })
}
