// Requests of callers to a stack whose database lies on several nodes.

import { expect } from 'vitest'
import { createClient } from '../../shared/sdk/client.ts'
import { eventually } from './eventually.ts'
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
