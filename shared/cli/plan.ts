// Prints what a run would be, without starting it: how many items, of which version, under which budget, and how long it takes.

import { defined } from '../kernel/defined.ts'
import { clockText } from '../view/estimate.ts'
import { answered, type Schemas } from './api.ts'
import { count, money, plural } from './format.ts'
import type { Session } from './session.ts'
import { factLines } from './start-view.ts'

type Planned = Schemas['RunEstimate']

interface Order {
  agent_id: string
  budget_cents?: number | null | undefined
  concurrency?: number | null | undefined
}

/** How long a run over so many items would take; undefined of none, since there is no such run. */
export async function plannedOf(
  { api }: Pick<Session, 'api'>,
  order: Order,
  items: number,
): Promise<Planned | undefined> {
  if (items === 0) return undefined
  const query = { items, ...defined({ concurrency: order.concurrency ?? undefined }) }
  const params = { path: { agentId: order.agent_id }, query }
  return answered(api.GET('/v1/agents/{agentId}/estimate', { params }))
}

/** Prints the plan of a run; `of` says what its items are. */
export function printPlan({ output, now }: Session, planned: Planned, order: Order, of: string): void {
  const { agent_slug, deployment_version, items, estimate } = planned
  const { budget_cents = null, concurrency = null } = order
  const plan = { ...planned, agent_id: order.agent_id, budget_cents, concurrency }
  const version = deployment_version === null ? ', which has no version yet' : ` v${deployment_version}`
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  output.emit('plan', plan, screen =>
    [
      `${screen.paint('bold', plural(items, 'item'))} ${of} would run on ${agent_slug}${version}; nothing was sent`,
      ...factLines(
        [
          ['budget', budget_cents === null ? 'none of its own' : money(budget_cents / 100)],
          ...(concurrency === null ? [] : [['at once', count(concurrency)] as const]),
          ['takes', estimate.message],
          ...(estimate.ends_at === null
            ? []
            : [['ends', `at about ${clockText(estimate.ends_at, zone, now())}, if it begins now`] as const]),
        ],
        screen,
      ),
    ].join('\n'),
  )
}
