// A project on the morning after a bad night: runs of which the last have items that failed the same way, were degraded
// or are held, schedules with missed and fired occurrences, and undelivered messages. Everything is made through the
// API; only the agent and the receiver are played, and earlier runs and the schedules are dated back.

import { expect, vi } from 'vitest'
import { deliverDue } from '../../shared/outbox/verbs/deliver.ts'
import type { AgentLine, ItemLine } from '../../shared/protocol/rules/protocol.ts'
import { fireDue } from '../../shared/schedules/verbs/fire.ts'
import { watchForAlerts } from '../../shared/upkeep/verbs/watch-alerts.ts'
import { deploy, recordId, workOff } from '../conformance/play.ts'
import type { World } from '../conformance/world.ts'
import { calmly, INVOICES, invoices, TICKETS, tickets } from './bad-night-agents.ts'
import { shut } from './upstreams.ts'

export interface NightOptions {
  /** The project's key; the first account's by default. */
  token?: string
  project_id?: string
  /** Items of the last night's largest run. */
  items?: number
  /** For how many days before the bad night there are runs. */
  days?: number
  /** Added to every text that people, agents or models may choose. */
  mark?: string
}

/** Ids, by the names they have in paths. */
export type Night = Record<
  | 'projectId'
  | 'agentId'
  | 'deploymentId'
  | 'runId'
  | 'itemId'
  | 'heldId'
  | 'refusedId'
  | 'causeId'
  | 'scheduleId'
  | 'triggerId'
  | 'deliveryId'
  | 'upstreamId'
  | 'keyId'
  | 'priceId'
  | 'channelId'
  | 'deadlineId',
  string
>

const GONE = 'https://hooks.example.com/assay'

export async function badNight(given: World, options: NightOptions = {}): Promise<Night> {
  const { token = given.first.api_key, project_id = given.first.project_id, mark = '' } = options
  const { items = 60, days = 0 } = options
  // No message is delivered.
  const world: World = { ...given, ctx: { ...given.ctx, post: async () => ({ status: 503 }) } }
  const { sql } = world.ctx
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await world.call(method, path, { token, ...(body ? { body } : {}) })
    expect([path, answer.status < 300 ? '' : answer.text]).toEqual([path, ''])
    return answer.json
  }
  const submit = async (agent_id: string, lines: object[], more: object) => {
    const { group_id } = await ask('POST', '/v1/batches', { agent_id, items: lines, ...more })
    return group_id as string
  }
  let isBad = false
  const play = (item: ItemLine, url?: string): AgentLine[] => {
    if (url?.includes('invoice')) return INVOICES(item, mark)
    return isBad ? TICKETS(item, mark) : calmly(TICKETS)(item, mark)
  }

  const ticketAgent = await ask('POST', '/v1/agents', {
    name: `Ticket triage${mark}`,
    slug: 'ticket-triage',
    description: `Sorts the day's tickets, and drafts a reply.${mark}`,
  })
  const invoiceAgent = await ask('POST', '/v1/agents', {
    name: `Invoice reader${mark}`,
    slug: 'invoice-reader',
    description: `Reads totals and dates off scanned pages.${mark}`,
  })
  const declared = {
    concurrency: 24,
    input_schema: {
      type: 'object',
      properties: { text: { type: 'string' }, customer: { type: 'string' }, urgent: { type: 'boolean' } },
    },
  }
  const first = await deploy(world, ticketAgent.id, declared, token)
  await deploy(world, ticketAgent.id, declared, token)
  await ask('POST', `/v1/agents/${invoiceAgent.id}/deployments`, {
    kind: 'url',
    url: 'http://127.0.0.1:9/invoice',
    declaration: { name: 'invoice-reader', max_consecutive_failures: 100_000 },
  })

  for (let day = days; day > 0; day--) {
    const runs = [
      await submit(ticketAgent.id, tickets(Math.ceil(items * 0.7) + ((day * 37) % 90), day, mark), {
        name: `Tickets of the day${mark}`,
      }),
      await submit(invoiceAgent.id, invoices(Math.ceil(items / 6) + day, day, mark), {
        name: `Invoices${mark}`,
      }),
    ]
    await workOff(world, play)
    await sql`
      update runs set created_at = created_at - ${day} * interval '1 day',
        started_at = started_at - ${day} * interval '1 day', finished_at = finished_at - ${day} * interval '1 day'
      where id in ${sql(runs)}`
  }
  isBad = true
  const runId = await submit(ticketAgent.id, tickets(items, 0, mark), {
    name: `Tickets of the day${mark}`,
    budget_cents: 2500,
  })
  await submit(invoiceAgent.id, invoices(Math.ceil(items / 5), 0, mark), {
    name: `Invoices${mark}`,
    callback_url: GONE,
  })
  await workOff(world, play)

  const order = { agent_id: ticketAgent.id, cron: '0 2 * * *', timezone: 'Europe/Berlin' }
  const schedule = await ask('POST', '/v1/schedules', {
    ...order,
    input: { text: `Nightly digest of all queues${mark}` },
  })
  const hourly = await ask('POST', '/v1/schedules', {
    agent_id: invoiceAgent.id,
    cron: '15 * * * *',
    timezone: 'UTC',
    input: { file: `inbox${mark}` },
  })
  // As if no tick had run for a while.
  await sql`update schedules set next_at = date_trunc('day', now()) - interval '3 days' where id = ${schedule.id}`
  await sql`update schedules set next_at = date_trunc('hour', now()) + interval '15 minutes' - interval '6 hours'
    where id = ${hourly.id}`
  while ((await fireDue(world.ctx)) > 0);
  await workOff(world, play)

  const trigger = await ask('POST', '/v1/triggers', { agent_id: ticketAgent.id, name: 'new-ticket' })
  const key = await ask('POST', `/v1/projects/${project_id}/api-keys`, { name: `nightly import${mark}` })
  const ownPrice = { model: 'house-model', input_per_mtok: 0.5, output_per_mtok: 2 }
  const price = await ask('POST', `/v1/projects/${project_id}/prices`, ownPrice)
  const channel = await ask('POST', `/v1/projects/${project_id}/alert-channels`, {
    url: 'https://hooks.example.com/alerts',
  })
  const deadline = await ask('POST', `/v1/projects/${project_id}/deadlines`, {
    schedule_id: schedule.id,
    finished_by: '06:30',
  })
  const upstreamId = world.ctx.newId()
  await shut(sql, { project_id, id: upstreamId, words: `No credit left${mark}` })
  await watchForAlerts(world.ctx)
  await giveUp(world)

  const causes = await ask('GET', `/v1/causes?project_id=${project_id}`)
  const { deliveries } = await ask('GET', `/v1/deliveries?project_id=${project_id}`)
  return {
    projectId: project_id,
    agentId: ticketAgent.id,
    deploymentId: first.id,
    runId,
    itemId: recordId(runId, 5),
    heldId: recordId(runId, 9),
    refusedId: recordId(runId, 11),
    causeId: causes.rows[0].id,
    scheduleId: schedule.id,
    triggerId: trigger.id,
    deliveryId: deliveries[0].id,
    upstreamId,
    keyId: key.id,
    priceId: price.id,
    channelId: channel.id,
    deadlineId: deadline.id,
  }
}

/** Makes every remaining delivery attempt at once. */
async function giveUp({ ctx }: World): Promise<void> {
  const left = () => ctx.sql`update deliveries set due_at = now() where due_at is not null returning id`
  await vi.waitFor(
    async () => {
      await deliverDue(ctx)
      expect(await left()).toEqual([])
    },
    { timeout: 30_000, interval: 20 },
  )
}
