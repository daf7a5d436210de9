// Finds the run that a command names: by its id, by its agent, or by its own name. Of several the newest is meant.

import { isUuid } from '../kernel/ids.ts'
import { type Api, answered, type Run } from './api.ts'
import { EXIT, Failure } from './failure.ts'

/** A name is looked for among so many of the newest runs: the longest page. */
const LOOKED_AT = 500
const NAMED = 10

/** The id of the run. @throws Failure `not_found`, with the names that there are */
export async function findRun(api: Api, given: string): Promise<string> {
  if (isUuid(given)) return given
  const runs = await answered(api.GET('/v2/runs', { params: { query: { limit: LOOKED_AT } } }))
  const found = runs.find(({ name }) => name === given) ?? runs.find(run => run.agent_slug === given)
  if (found !== undefined) return found.id
  throw new Failure(EXIT.api, 'not_found', `there is no run ${JSON.stringify(given)}`, {
    hint: runs.length === 0 ? 'nothing has run yet' : `there are: ${namesOf(runs).join(', ')}`,
    next: 'assay runs',
  })
}

const namesOf = (runs: readonly Run[]): string[] =>
  [...new Set(runs.map(({ name, agent_slug }) => name ?? agent_slug))].slice(0, NAMED)
