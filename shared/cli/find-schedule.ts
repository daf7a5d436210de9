// Finds the schedule that a command names, by its id or by its name, which need not be the only one.

import { LIMITS } from '../kernel/limits.ts'
import type { Api, Schemas } from './api.ts'
import { EXIT, Failure } from './failure.ts'
import { everyRow, type PageQuery, pageOf } from './pages.ts'

type Schedule = Schemas['Schedule']

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Pages read to find a name: more schedules than an account may have. */
const PAGES = 50
const NAMED = 10

/**
 * The id of the schedule.
 *
 * @throws Failure `not_found`, with the names that there are; `ambiguous_schedule` if several have the name
 */
export async function findSchedule(api: Api, given: string): Promise<string> {
  if (UUID.test(given)) return given
  const all = await everySchedule(api)
  const [found, ...others] = all.filter(({ name }) => name === given)
  if (found === undefined) {
    const names = [...new Set(all.flatMap(({ name }) => (name === null ? [] : [name])))].slice(0, NAMED)
    throw new Failure(EXIT.api, 'not_found', `there is no schedule ${JSON.stringify(given)}`, {
      hint: names.length > 0 ? `there are: ${names.join(', ')}` : 'none has a name: name it by its id',
      next: 'assay schedules',
    })
  }
  if (others.length === 0) return found.id
  const lines = [found, ...others].map(({ id, agent_slug, cron }) => `  ${id}  ${agent_slug}, ${cron}`)
  throw new Failure(
    EXIT.usage,
    'ambiguous_schedule',
    [`${others.length + 1} schedules are called ${JSON.stringify(given)}:`, ...lines].join('\n'),
    { hint: 'name the one that is meant by its id', next: `assay schedules show ${found.id}` },
  )
}

async function everySchedule(api: Api): Promise<Schedule[]> {
  const found: Schedule[] = []
  const read = (page: PageQuery) => pageOf(api.GET('/v1/schedules', { params: { query: page } }))
  for await (const row of everyRow(read, LIMITS.schedules_page.max, PAGES)) found.push(row)
  return found
}
