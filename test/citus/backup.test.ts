// A backup of a cluster: onto one machine, and from there onto another cluster, where work goes on.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, expect, inject, it } from 'vitest'
import { backup } from '../../infra/backup/backup.ts'
import { checkBackup } from '../../infra/backup/format.ts'
import { restore } from '../../infra/backup/restore.ts'
import { distribute } from '../../infra/distribute.ts'
import { endHold } from '../../shared/accounts/queries/installation.ts'
import { dropDatabase, makeCluster } from '../support/citus.ts'
import { callerOf, endedAndInFlight, serversGone } from '../support/citus-projects.ts'
import { conservation } from '../support/conservation.ts'
import { heldAgent } from '../support/held-agent.ts'
import { makeProjects } from '../support/many-projects.ts'
import { startStack } from '../support/stack.ts'
import { emptyDatabase } from '../support/stores.ts'
import { contentOf } from '../support/table-content.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ITEMS = 60
const UNSIGNED = { masterKey: undefined, unsigned: true }

const STEP = {
  key: 'call',
  kind: 'llm_call',
  name: 'call',
  model: 'a-model',
  output: 'yes',
  usage: { input_tokens: 10, output_tokens: 1 },
  duration_ms: 1,
  started_at: '2026-01-01T00:00:00.000Z',
}
/** Every fourth item fails; the others have a step. */
const stepsOf = ({ seq, attempt }: { seq: number; attempt: number }): object[] =>
  seq % 4 === 0
    ? [{ type: 'error', seq, attempt, error: { code: 'upstream_down', message: 'it answered 503' } }]
    : [
        { type: 'step', seq, attempt, step: STEP },
        { type: 'result', seq, attempt, output: { seq } },
      ]

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
const open = (url: string) => parts.adopt(postgres(url, { max: 1, onnotice: () => {} }), sql => sql.end())

/** Tables whose rows get new ids on a new cluster, whose workers give out those of the first one again. */
const NUMBERED = ['claims', 'unindexed_steps']

async function clusterDatabase(): Promise<string> {
  const { nodes } = inject('stores')
  const name = `test_${randomBytes(6).toString('hex')}`
  parts.defer(() => dropDatabase(nodes, name))
  return makeCluster(nodes, name)
}

it('a backup of a cluster is restored onto one machine, and a backup of that machine onto a cluster, where work goes on', async () => {
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  const agent = parts.adopt(await heldAgent(stepsOf), one => one.close())
  const stack = parts.adopt(await startStack(), one => one.close())
  const projects = await makeProjects(stack, 4, id => agent.urlOf(id))
  const caller = callerOf(() => stack.base_url)
  const { ended, inFlight } = await endedAndInFlight(caller, agent, projects, ITEMS)

  const now = () => new Date()
  const take = (url: string, name: string) =>
    backup({ database: { url }, file: join(folder.path, name), now })
  await expect(take(stack.databaseUrl, 'at-work.backup')).rejects.toMatchObject({
    code: 'installation_at_work',
  })
  await stack.kill() // the claims of its items stay
  const before = open(stack.databaseUrl)
  await serversGone(before)
  const content = await contentOf(before, { numbered: NUMBERED })
  const { file, rows } = await take(stack.databaseUrl, 'of-cluster.backup')
  expect(rows).toMatchObject({ items: 2 * ITEMS * projects.length, triage: ITEMS })

  const machine = parts.adopt(await emptyDatabase(), store => store.drop())
  await restore({ url: machine.url }, file, await checkBackup(file), UNSIGNED)
  expect(await contentOf(open(machine.url), { numbered: NUMBERED })).toEqual(content)
  const again = await take(machine.url, 'of-machine.backup')
  const checked = await checkBackup(again.file)
  await expect(restore({ url: stack.databaseUrl }, again.file, checked, UNSIGNED)).rejects.toMatchObject({
    code: 'already_distributed',
  })

  const url = await clusterDatabase()
  await restore({ url }, again.file, checked, UNSIGNED)
  await distribute({ url }, { apply: true, shards: 4, say: () => {} })
  const sql = open(url)
  expect(await contentOf(sql, { numbered: NUMBERED })).toEqual(content)
  expect(await before`select from claims where id >= ${String(2n ** 48n)}`).not.toHaveLength(0)
  for (const table of NUMBERED)
    expect(await sql`select from ${sql(table)} where id >= ${String(2n ** 48n)}`).toHaveLength(0)

  await endHold(sql as never)
  const moved = parts.adopt(
    await startStack({ on: { databaseUrl: url, api_key: projects[0]!.api_key } }),
    one => one.close(),
  )
  agent.release()
  const there = callerOf(() => moved.base_url)
  for (const [i, project] of projects.entries()) {
    expect(await there.ended(project, inFlight[i]!)).toMatchObject({
      completed: (ITEMS * 3) / 4,
      failed: ITEMS / 4,
    })
    const fresh = await there.submit(project, ITEMS)
    expect(await there.ended(project, fresh)).toMatchObject({ failed: ITEMS / 4 })
    for (const run of [ended[i]!, inFlight[i]!, fresh]) {
      expect(await there.verify(project, run)).toMatchObject({ balanced: true, differences: [] })
      expect(await conservation({ sql: sql as never }, run)).toEqual([])
    }
  }
})
