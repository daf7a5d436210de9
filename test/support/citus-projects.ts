// Requests of callers to a stack whose database lies on several nodes.

import type { Sql } from 'postgres'
import { expect } from 'vitest'
import { createClient } from '../../shared/sdk/client.ts'
import { eventually } from './eventually.ts'
import type { HeldAgent } from './held-agent.ts'
import type { MadeProject } from './many-projects.ts'

/** The requests that callers of a project send to the stack. */
export function callerOf(base_url: () => string) {
  const clientOf = ({ api_key }: MadeProject) => createClient({ baseUrl: base_url(), apiKey: api_key })
  const of = (runId: string) => ({ params: { path: { runId } } })
  const readRun = async (project: MadeProject, runId: string) =>
    (await clientOf(project).GET('/v2/runs/{runId}', of(runId))).data!
  return {
    readRun,
    async submit(project: MadeProject, items: number): Promise<string> {
      const lines = Array.from({ length: items }, (_, i) => `{"item_id":"item-${i}","input":{"n":${i}}}\n`)
      const body = new Blob([lines.join('')]).stream()
      return (await clientOf(project).submitLines({ agent_id: project.agent_id }, body)).run_id
    },
    ended: (project: MadeProject, runId: string) =>
      eventually(async () => {
        const run = await readRun(project, runId)
        expect(run.finished_at).not.toBeNull()
        return run
      }),
    verify: async (project: MadeProject, runId: string) =>
      (await clientOf(project).GET('/v2/runs/{runId}/verify', of(runId))).data!,
  }
}

/** Two runs of each project: one that has ended, and one whose items the agent holds. */
export async function endedAndInFlight(
  caller: ReturnType<typeof callerOf>,
  agent: HeldAgent,
  projects: readonly MadeProject[],
  items: number,
) {
  const submitAll = () => Promise.all(projects.map(project => caller.submit(project, items)))
  const ended = await submitAll()
  for (const [i, project] of projects.entries()) await caller.ended(project, ended[i]!)
  agent.hold()
  const inFlight = await submitAll()
  await eventually(() => {
    for (const { id } of projects) expect(agent.held(id)).toBeGreaterThan(0)
  })
  return { ended, inFlight }
}

/** Resolves when PostgreSQL has noticed that the processes of Assay are gone. */
export const serversGone = (sql: Sql): Promise<void> =>
  eventually(async () => {
    const theirs = sql`application_name = 'assay' and datname = current_database()`
    expect(await sql`select from pg_stat_activity where ${theirs}`).toEqual([])
  })
