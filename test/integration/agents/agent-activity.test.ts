// An agent's score is of its runs, however many of their items were replayed since, each as a run of its own.

import { expect, it, onTestFinished } from 'vitest'
import { startNodeHost } from '../../conformance/hosts.ts'
import { fails, ran } from '../../conformance/play.ts'
import { openWorld } from '../../conformance/world.ts'

it('the score stays after hundreds of replays in a week', async () => {
  const world = await openWorld(startNodeHost)
  onTestFinished(() => world.end())
  const { agent, run: replay_of } = await ran(world, fails(), [{ input: 1 }])
  const { sql, newRunId } = world.ctx
  const project_id = world.first.project_id
  const replay = () => ({
    id: newRunId(),
    project_id,
    agent_id: agent.id,
    replay_of,
    finished_at: new Date(),
  })
  await sql`insert into runs ${sql(Array.from({ length: 501 }, replay))}`
  const { json } = await world.call('GET', '/v1/agents?activity=true')
  const { activity } = json.find((one: { id: string }) => one.id === agent.id)
  expect(activity).toMatchObject({ runs: 1, ok: 0, not_ok: 1 })
  expect(activity.last_run.id).not.toBe(replay_of)
})
