// Describes cohorts in words. Guarantee: existing runs and causes appear by name, not by id, and each is fetched once.

import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { runName } from '../../../shared/view/run.ts'
import { each } from '../shell/each.ts'

type Run = Schemas['Run']
type Filter = Schemas['RecoveryFilter']

/** Returns the runs that the filters name, by id, and `words`, which describes one filter. */
export async function namesOfCohorts(api: Client, filters: readonly Filter[]) {
  const [runs, causes] = await Promise.all([
    kept(
      filters.map(one => one.run_id),
      async runId => {
        const { data } = await api.GET('/v2/runs/{runId}', { params: { path: { runId } } })
        return data!
      },
    ),
    kept(
      filters.map(one => one.cause_id),
      async causeId => {
        const { data } = await api.GET('/v1/causes/{causeId}', { params: { path: { causeId } } })
        return data!.title
      },
    ),
  ])
  const words = (filter: Filter) =>
    wordsOf(filter, runs.get(filter.run_id ?? ''), causes.get(filter.cause_id ?? ''))
  return { runs, words }
}

/** Reads each id once; ids that no longer exist are left out. */
async function kept<T>(ids: readonly (string | undefined)[], read: (id: string) => Promise<T>) {
  const found = new Map<string, T>()
  const asked = [...new Set(ids)].filter(id => id !== undefined)
  await each(asked, async id => void found.set(id, await read(id)))
  return found
}

function wordsOf(filter: Filter, run: Run | undefined, cause: string | undefined): string {
  const of =
    (filter.partition_key === undefined ? '' : ` of partition ${filter.partition_key}`) +
    (run === undefined ? '' : ` in ${runName(run)}`)
  if (filter.status !== undefined)
    return `${filter.status === 'cancelled' ? 'what was left over' : 'all that did not end well'}${of}`
  if (filter.cause_id !== undefined)
    return cause === undefined ? `all with one cause${of}` : `“${cause}”${of}`
  if (filter.cluster_key !== undefined)
    return `similar failures with ${filter.cluster_key.replace(/:[^:]*$/, '')}${of}`
  if (filter.reason !== undefined) return `where ${reasonMeaning(filter.reason)}${of}`
  return `${filter.kind === 'quarantine' ? 'what is held' : 'what did not work'}${of}`
}
