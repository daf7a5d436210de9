// The triage or search page that an item was opened from, instead of its run's list. Guarantee: it is kept in the link
// of the item's page, so it survives a reload, and it never leads outside the dashboard.

import * as z from 'zod'
import type { Context } from '../../../shared/context.ts'
import { basePath, withoutBasePath } from '../../../shared/http/base-path.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client } from '../../../shared/sdk/client.ts'
import { ownPath } from '../shell/addresses.ts'
import { groupsOf } from './inbox-groups.ts'
import { filterAsked, rangeAsked, SearchQuery } from './search-query.ts'
import { triageFilter } from './triage-query.ts'

const TriagePage = z.object({ ...triageFilter, cursor: z.string().optional() })

/** A list page, with the link that leads back to it. */
export interface OuterList {
  name: 'Triage' | 'Search'
  link: string
  /** Returns the record ids of the items, in the list's order. */
  read(api: Client): Promise<string[]>
}

const LIST = /^\/dashboard\/projects\/([\w-]+)\/(triage|search)$/

/** Returns the list page behind a link; undefined for any other link. */
export function listAt(asked: string | undefined): OuterList | undefined {
  const link = asked === undefined ? undefined : ownPath(asked)
  if (link === undefined) return undefined
  const { pathname, searchParams } = new URL(link, 'http://here.invalid')
  const [, project_id, page] = LIST.exec(pathname) ?? []
  if (project_id === undefined) return undefined
  const given = Object.fromEntries(searchParams)
  if (page === 'triage') {
    const { data } = TriagePage.safeParse(given)
    return data && { name: 'Triage', link, read: api => readTriage(api, project_id, data) }
  }
  const { data } = SearchQuery.safeParse(given)
  return data && { name: 'Search', link, read: api => readSteps(api, project_id, data) }
}

/** The link of the list that the Referer names, directly or through the `list` of the same item's page. */
export function cameFrom({ config }: Context, request: Request): string | undefined {
  const referer = request.headers.get('referer')
  if (referer === null || !URL.canParse(referer)) return undefined
  const { pathname, search, searchParams } = new URL(referer)
  const path = withoutBasePath(pathname, basePath(config.base_url))
  const isSame = path === new URL(request.url).pathname
  return listAt(isSame ? (searchParams.get('list') ?? undefined) : path + search)?.link
}

async function readTriage(api: Client, project_id: string, asked: z.output<typeof TriagePage>) {
  const { kind, ...rest } = asked
  const query = { project_id, ...defined(rest), kind: kind || ('all' as const), limit: LIMITS.inbox_page }
  const { data } = await api.GET('/v1/triage', { params: { query } })
  return groupsOf(data!.rows).flatMap(([, rows]) => rows.map(row => row.record_id))
}

async function readSteps(api: Client, project_id: string, asked: SearchQuery) {
  const filter = { ...filterAsked(asked), ...rangeAsked(asked), ...defined({ cursor: asked.cursor }) }
  const query = { project_id, ...filter, limit: LIMITS.search_page }
  const { data } = await api.GET('/v1/steps', { params: { query } })
  return [...new Set(data!.steps.map(step => step.record_id))]
}
