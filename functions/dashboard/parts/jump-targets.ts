// Finds what a text may mean in a project: an id of Assay or of the caller, or a part of a name. Guarantee: names and
// parts of ids are searched among a bounded number of the newest, in a few calls, and no failed look-up of an item hides
// what else was found.

import { isUuid } from '../../../shared/kernel/ids.ts'
import { ApiFailure, type Client } from '../../../shared/sdk/client.ts'
import { CAUSE_ID } from '../../../shared/triage/rules/causes.ts'
import { runName } from '../../../shared/view/run.ts'
import {
  ofAgent,
  ofDelivery,
  ofItem,
  ofProject,
  ofRecovery,
  ofRun,
  ofSchedule,
  ofTrigger,
} from '../shell/addresses.ts'
import { MENU } from '../shell/menu.ts'
import { unlessGone } from '../shell/unless-gone.ts'
import { agentsOf } from './agents-of.ts'
import { likeIds } from './like-ids.ts'

export interface Target {
  kind: string
  name: string
  href: string
}

interface ItemTarget extends Target {
  item_id: string
}

interface Found {
  targets: Target[]
  /** The text is an id that exactly one target has. */
  is_exact: boolean
  /** Whether items could be looked up by their ids. */
  is_whole: boolean
}

export interface ItemsFound {
  items: ItemTarget[]
  is_whole: boolean
}

/** Most targets of each kind. */
const MOST = 8
/** How many of the newest runs, schedules and triggers each are searched for a name. */
export const LOOKED_AT = 50
/** Shorter texts are not searched: a single letter is in nearly every name. */
const LEAST_CHARACTERS = 2
/** Of how many of the newest runs ids are taken as examples, and how many of each. */
export const RUNS_LIKE = 5
const IDS_OF_RUN = 4
/** How many ids like these are looked up, each in the newest run that has it. */
const IDS_LIKE = 3
/** How many runs are searched for an item of that id. */
const RUNS_OF_ITEM = 5

export async function findTargets(api: Client, project_id: string, text: string): Promise<Found> {
  const byId = isUuid(text)
    ? await byUuid(api, text.toLowerCase())
    : CAUSE_ID.test(text)
      ? await byCause(api, text)
      : []
  if (byId.length > 0) return { targets: byId, is_exact: byId.length === 1, is_whole: true }
  const [{ items, is_whole }, named] = await Promise.all([
    findItemsById(api, project_id, text),
    text.length < LEAST_CHARACTERS ? [] : byName(api, project_id, text.toLowerCase()),
  ])
  const is_exact = items.length === 1 && items[0]!.item_id === text
  return { targets: [...items, ...named], is_exact, is_whole }
}

/** Returns undefined where nothing has that id, or where the text cannot be an id. */
const known = <T>(asked: Promise<{ data?: T }>): Promise<T | undefined> =>
  unlessGone(asked.then(({ data }) => data))

async function byUuid(api: Client, id: string): Promise<Target[]> {
  const [run, item, agent, schedule, trigger, recovery, delivery] = await Promise.all([
    known(api.GET('/v2/runs/{runId}', { params: { path: { runId: id } } })),
    known(api.GET('/v1/durable/runs/{itemId}', { params: { path: { itemId: id } } })),
    known(api.GET('/v1/agents/{agentId}', { params: { path: { agentId: id } } })),
    known(api.GET('/v1/schedules/{scheduleId}', { params: { path: { scheduleId: id } } })),
    known(api.GET('/v1/triggers/{triggerId}', { params: { path: { triggerId: id } } })),
    known(api.GET('/v1/recoveries/{recoveryId}', { params: { path: { recoveryId: id } } })),
    known(api.GET('/v1/deliveries/{deliveryId}', { params: { path: { deliveryId: id } } })),
  ])
  return [
    run && { kind: 'Run', name: runName(run), href: ofRun(id) },
    item && { kind: 'Item', name: item.item_id, href: ofItem(id) },
    agent && { kind: 'Agent', name: agent.name, href: ofAgent(id) },
    schedule && { kind: 'Schedule', name: scheduleName(schedule), href: ofSchedule(id) },
    trigger && { kind: 'Trigger', name: trigger.name, href: ofTrigger(id) },
    recovery && { kind: 'Recovery', name: recovery.name ?? id, href: ofRecovery(id) },
    delivery && { kind: 'Delivery', name: delivery.url, href: ofDelivery(id) },
  ].filter(target => target !== undefined)
}

async function byCause(api: Client, id: string): Promise<Target[]> {
  const cause = await known(api.GET('/v1/causes/{causeId}', { params: { path: { causeId: id } } }))
  return cause === undefined
    ? []
    : [{ kind: 'Cause', name: cause.title, href: ofProject(cause.project_id, `causes/${id}`) }]
}

/** By the caller's own identifier, or where no item has it, by a number within it. */
export async function findItemsById(api: Client, project_id: string, text: string): Promise<ItemsFound> {
  try {
    const items = await byOwnId(api, project_id, text, RUNS_OF_ITEM)
    return { items: items.length > 0 ? items : await byPartOfOwnId(api, project_id, text), is_whole: true }
  } catch (error) {
    if (error instanceof ApiFailure) return { items: [], is_whole: false }
    throw error
  }
}

/**
 * Finds items by a number within the caller's own identifiers: ids like those of the newest runs are made of it and each
 * is looked up by the index. An index of parts of ids would cost every item that is submitted.
 */
async function byPartOfOwnId(api: Client, project_id: string, text: string): Promise<ItemTarget[]> {
  if (!/\d/.test(text)) return []
  const runs = await known(api.GET('/v2/runs', { params: { query: { project_id, limit: RUNS_LIKE } } }))
  const ids = await Promise.all((runs ?? []).map(run => firstIds(api, run.id)))
  const found = await Promise.all(
    likeIds(text, ids.flat(), IDS_LIKE).map(id => byOwnId(api, project_id, id, 1)),
  )
  return found.flat()
}

async function firstIds(api: Client, runId: string): Promise<string[]> {
  const query = { limit: IDS_OF_RUN, payloads: 'none' as const }
  const items = await known(api.GET('/v2/runs/{runId}/items', { params: { path: { runId }, query } }))
  return (items ?? []).map(item => item.item_id)
}

/** Finds items by the caller's own identifier, in the newest runs that have it. */
async function byOwnId(
  api: Client,
  project_id: string,
  item_id: string,
  limit: number,
): Promise<ItemTarget[]> {
  const runs = await known(api.GET('/v2/runs', { params: { query: { project_id, item_id, limit } } }))
  const found = await Promise.all(
    (runs ?? []).map(async run => {
      const path = { runId: run.id }
      const items = await known(
        api.GET('/v2/runs/{runId}/items', { params: { path, query: { item_id, limit: 1 } } }),
      )
      return (items ?? []).map(item => ({
        kind: 'Item',
        item_id: item.item_id,
        name: `${item.item_id} in ${runName(run)}, ${run.created_at.slice(0, 10)}`,
        href: ofItem(item.id),
      }))
    }),
  )
  return found.flat()
}

async function byName(api: Client, project_id: string, part: string): Promise<Target[]> {
  const query = { project_id, limit: LOOKED_AT }
  const [agents, schedules, triggers, runs, causes] = await Promise.all([
    known(agentsOf(api, project_id)),
    known(api.GET('/v1/schedules', { params: { query } })),
    known(api.GET('/v1/triggers', { params: { query } })),
    known(api.GET('/v2/runs', { params: { query } })),
    known(api.GET('/v1/causes', { params: { query: { project_id } } })),
  ])
  const named: Target[][] = [
    MENU.map(({ path, label }) => ({ kind: 'Page', name: label, href: ofProject(project_id, path) })),
    (agents ?? []).map(one => ({ kind: 'Agent', name: `${one.name} ${one.slug}`, href: ofAgent(one.id) })),
    (schedules ?? []).map(one => ({
      kind: 'Schedule',
      name: scheduleName(one),
      href: ofSchedule(one.id),
    })),
    (triggers?.triggers ?? []).map(one => ({ kind: 'Trigger', name: one.name, href: ofTrigger(one.id) })),
    (runs ?? []).map(one => ({
      kind: 'Run',
      name: `${runName(one)}, ${one.created_at.slice(0, 16).replace('T', ' ')} UTC`,
      href: ofRun(one.id),
    })),
    (causes?.rows ?? []).map(one => ({
      kind: 'Cause',
      name: one.title,
      href: ofProject(project_id, `causes/${one.id}`),
    })),
  ]
  return named.flatMap(all => all.filter(one => one.name.toLowerCase().includes(part)).slice(0, MOST))
}

const scheduleName = ({
  name,
  agent_slug,
  cron,
}: {
  name: string | null
  agent_slug: string
  cron: string
}) => `${name ?? agent_slug} at ${cron}`
