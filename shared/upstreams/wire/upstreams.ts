// The shapes of upstreams as callers see them, and how rows become them. Guarantee: no hash of a credential leaves.

import { count, id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { UPSTREAM_KINDS, UPSTREAM_STATES, type UpstreamKind, type UpstreamState } from '../vocabulary.ts'
import { type LimitsOfRow, limitFields, limitFieldsOf } from './upstream-limits.ts'

const fields = {
  host: z
    .string()
    .describe("An agent's URL without its query and without what may be a secret, or a provider's host."),
  label: z.string().nullable().describe('The variable of the environment that has the credential.'),
  state: z.enum(UPSTREAM_STATES).describe('What it lets through; only `open` lets all through.'),
  reason: z.string().describe('Why, in the words of whoever refused.'),
  since: timestamp.describe('When it entered the state.'),
  next_at: timestamp.nullable().describe('When it is tried next, or more is let through.'),
}

/** What a run waits for. */
export const UpstreamWait = z.object({ upstream_id: id('The upstream.'), ...fields })

export const Upstream = z
  .object({
    id: id('Made from what names it: the same as long as that is the same.'),
    project_id: id('The project whose items call it.'),
    kind: z.enum(UPSTREAM_KINDS).describe("An agent's address, or a credential at a provider."),
    ...fields,
    model: z.string().nullable().describe('The model that it is about, if only calls of that are refused.'),
    deployment_id: id('The deployment that it stops, if it stops that alone.').nullable(),
    agent_id: id('The agent that declares its limit, for its own items alone.').nullable(),
    opening: z.boolean().describe('It serves again, and lets through more each second.'),
    status: z.int().nullable().describe('The HTTP status of the refusal, if it had one.'),
    probes: count('Tries since it entered the state.'),
    ...limitFields,
    waiting_items: count(`Items that wait for it, counted up to ${LIMITS.upstream_items_counted}.`),
    runs: z
      .array(id('A run.'))
      .describe(`Runs that wait for it, the newest first; at most ${LIMITS.upstream_runs}.`),
  })
  .openapi('Upstream', {
    description: 'Something outside that items need, as far as its calls were seen or refused lately.',
  })

export const SharedCredential = z
  .object({
    host: z.string().describe("The provider's host."),
    used_by: z
      .array(
        z.object({
          project_id: id('A project that calls with it.'),
          label: z.string().describe('The variable that has it there.'),
        }),
      )
      .describe('Of at least two projects.'),
  })
  .openapi('SharedCredential', { description: 'A credential with which several projects call one host.' })

/** What of an upstream its waits show. */
export interface WaitRow {
  id: string
  host: string
  label: string | null
  state: UpstreamState
  words: string
  since: Date
  next_at: Date | null
}

export interface UpstreamRow extends WaitRow, LimitsOfRow {
  project_id: string
  kind: UpstreamKind
  model: string
  deployment_id: string | null
  pace: number | null
  status: number | null
  probes: number
  waiting_items: number
  runs: string[]
}

const shared = ({ host, label, state, words, since, next_at }: WaitRow) => ({
  host,
  label,
  state,
  reason: words,
  since: since.toISOString(),
  next_at: next_at === null ? null : next_at.toISOString(),
})

export const waitOf = (row: WaitRow): z.input<typeof UpstreamWait> => ({
  upstream_id: row.id,
  ...shared(row),
})

export const upstreamOf = (row: UpstreamRow): z.input<typeof Upstream> => ({
  id: row.id,
  project_id: row.project_id,
  kind: row.kind,
  ...shared(row),
  model: row.model === '' ? null : row.model,
  deployment_id: row.deployment_id,
  agent_id: row.agent_id,
  opening: isOpening(row),
  status: row.status,
  probes: row.probes,
  ...limitFieldsOf(row),
  waiting_items: row.waiting_items,
  runs: row.runs,
})

/** Whether an upstream that serves again does not let all through yet. */
const isOpening = ({ state, pace, next_at }: UpstreamRow) =>
  state === 'open' && (pace !== null || next_at !== null)
