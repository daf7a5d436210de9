// How long runs of about five minutes take, as estimated before they start and when a tenth is done, next to how long it took
// until their last call was sent. A small run goes before each, from which is known what an item asks.

import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../../../shared/sdk/client.ts'
import type { Limit, Settings } from '../../support/provider.ts'
import type { Bench } from '../stack.ts'
import { type AgentKind, type Deployed, deploy } from './agents.ts'
import { configure, ended, environment, nameOfKey, read } from './play.ts'
import { LATENCY } from './scenarios.ts'
import { linesOf, meanTokens } from './texts.ts'

type Declared = { requests: string } | { tokens: string }

export interface Estimated {
  name: string
  agent: AgentKind
  items: number
  provider: Partial<Settings>
  /** Limits that a person sets before the small run. */
  declared?: Declared
  concurrency?: number
}

export interface EstimatedFigures {
  before_s: number | null
  tenth_s: number | null
  took_s: number
  message: string
}

const SMALL_ITEMS = 200
const LETTERS = 600
const RATE = 30
const SECONDS = 300
/** Buckets are full again. */
const REST_MS = 20_000
const LOOK_MS = 500

const bucket = (of: Limit['of'], rate: number, per_s: number): Limit => ({
  of,
  kind: 'bucket',
  per_s,
  amount: Math.round(rate * per_s),
})

export function estimated(): Estimated[] {
  const one = (name: string, rest: Partial<Estimated>): Estimated => ({
    name: `estimate: ${name}`,
    agent: 'bundle',
    items: RATE * SECONDS,
    ...rest,
    provider: { latency: LATENCY, ...rest.provider },
  })
  const tokens = bucket('tokens', RATE * meanTokens(LETTERS), 60)
  return [
    one('declared, requests', { declared: { requests: `${60 * RATE}/min` } }),
    one('declared, tokens', { declared: { tokens: `${Math.round(60 * RATE * TOKENS_USED)}/min` } }),
    one("in headers, a minute's bucket of tokens, full at first", {
      items: RATE * (SECONDS + 60),
      provider: { limits: [bucket('requests', 1.5 * RATE, 60), tokens] },
    }),
    one('declared, two calls an item', {
      agent: 'bundle of two calls',
      items: (RATE * SECONDS) / 2,
      declared: { requests: `${60 * RATE}/min` },
    }),
    one('20 items at once', { concurrency: 20, items: Math.round((20 * SECONDS) / MEAN_S) }),
  ]
}

/** Of a call of this text, as the double reports it to be used. */
const TOKENS_USED = 300
const MEAN_S = 1.3

export async function playEstimated(bench: Bench, double: string, of: Estimated): Promise<EstimatedFigures> {
  const key = nameOfKey(of.name)
  await configure(double, key, of.provider)
  const agent = await deploy(bench, of.agent, environment(double, key))
  if (of.declared !== undefined) await declare(bench, double, agent, of.declared)
  const { run_id: small } = await submit(agent, { ...of, items: SMALL_ITEMS }, 0)
  await ended(bench, small, performance.now() + 120_000)
  await pause(REST_MS)
  const { items, concurrency } = of
  const { data } = await agent.project.client.GET('/v1/agents/{agentId}/estimate', {
    params: { path: { agentId: agent.agent_id }, query: { items, ...(concurrency && { concurrency }) } },
  })
  const started = Date.now()
  const { run_id } = await submit(agent, of, 1)
  const tenth_s = await estimateAtTenth(agent, run_id, started)
  await ended(bench, run_id, performance.now() + 3 * SECONDS * 1000)
  const { first_call_at, last_call_s } = await read(double, key)
  const { seconds: before_s, message } = data!.estimate
  return { before_s, tenth_s, took_s: (first_call_at! - started) / 1000 + last_call_s, message }
}

/** As a person does, with a session. */
async function declare(bench: Bench, double: string, { project }: Deployed, limits: Declared) {
  const { data } = await bench.client.POST('/v1/sessions', { body: bench.account })
  const owner = createClient({ baseUrl: bench.base_url, apiKey: data!.access_token })
  const body = { project_id: project.id, host: new URL(double).host, label: 'OPENAI_API_KEY', ...limits }
  const { error } = await owner.PUT('/v1/upstreams', { body })
  if (error !== undefined) throw new Error(`the limits cannot be set: ${JSON.stringify(error)}`)
}

function submit({ agent_id, project }: Deployed, { items, concurrency }: Estimated, run: number) {
  return project.client.submitLines(
    { agent_id, ...(concurrency && { concurrency }) },
    linesOf(run, items, LETTERS),
  )
}

/** Since it was submitted, with what is left then. */
async function estimateAtTenth(
  { project }: Deployed,
  run_id: string,
  started: number,
): Promise<number | null> {
  for (;;) {
    const { data: run } = await project.client.GET('/v2/runs/{runId}', {
      params: { path: { runId: run_id } },
    })
    const { completed, failed, total_items, estimate, finished_at } = run!
    if (finished_at !== null) return null
    if (completed + failed >= total_items / 10)
      return estimate?.seconds == null ? null : (Date.now() - started) / 1000 + estimate.seconds
    await pause(LOOK_MS)
  }
}
