// What items need outside and may be refused by: an agent's address, or a credential at a provider. Guarantee: a row is the
// one truth about its upstream, for all runs and consumers of the project; without a row an upstream is open.

import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgEnum, pgTable, primaryKey, real, text, uuid } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/tables/projects.ts'
import { ofProject } from '../../accounts/tables/tenant.ts'
import { at } from '../../kernel/column-types.ts'
import type { Pacing } from '../../pacing/rules/pacing.ts'
import { UPSTREAM_KINDS, UPSTREAM_STATES } from '../vocabulary.ts'

export const upstreamKind = pgEnum('upstream_kind', UPSTREAM_KINDS)
export const upstreamState = pgEnum('upstream_state', UPSTREAM_STATES)

export const upstreams = pgTable(
  'upstreams',
  {
    project_id: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Made from the columns that name it, so that all processes know it without asking. */
    id: uuid('id').notNull(),
    kind: upstreamKind('kind').notNull(),
    /** Of an agent its URL as `agentHost` names it; of a credential the provider's host, with a port that is not the scheme's. */
    host: text('host').notNull(),
    /** The keyed hash of a credential; empty for an agent, and for a credential that is no value of the environment. */
    key: text('key').notNull(),
    /** The model that it is about, if only calls of that model are refused; else empty. */
    model: text('model').notNull(),
    /** The deployment that it is known from, if it stops that one alone. */
    deployment_id: uuid('deployment_id'),
    /** The agent whose declaration limits it, if it is that limit alone: it is never closed. */
    agent_id: uuid('agent_id'),
    /** The variable of the environment that has the credential. */
    label: text('label'),
    state: upstreamState('state').notNull(),
    since: at('since').notNull(),
    /** Why, in the words of whoever refused. */
    words: text('words').notNull(),
    status: integer('status'),
    /** When something is to be done: a probe of a closed one, the next items of one that is opening. */
    next_at: at('next_at'),
    /** Probes since the state was entered. */
    probes: integer('probes').notNull().default(0),
    /** While it opens: how many items start in the next second; null at any other time. */
    pace: real('pace'),
    /** What is known about its limits, and how fast items that need it begin; null while nothing was refused or told. */
    pacing: jsonb('pacing').$type<Pacing>(),
    /** The deployments whose items call it, as far as their calls were seen: the latest. */
    deployments: uuid('deployments').array().notNull().default(sql`'{}'`),
    succeeded_at: at('succeeded_at'),
    used_at: at('used_at').notNull(),
  },
  t => [
    primaryKey({ columns: [t.project_id, t.id] }),
    index('upstreams_next').on(t.next_at).where(sql`next_at is not null`),
    ofProject(t),
  ],
)
