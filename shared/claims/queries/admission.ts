// Admission in SQL: whether runs may begin items, and how many. Guarantee: for the same rows it gives the result of
// `admit` (rules/admission.ts), in every statement that uses it; a test compares the two over random states.
//
// A run is `r`; its project is `p` with the usage `u`, its account `c`, its agent `a` and its deployment `d`.

import { IS_HELD } from '../../accounts/queries/installation.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { tightestBudget } from '../../prices/queries/budgets.ts'
import { PILOT_LEFT } from './pilots.ts'

/**
 * Runs with the rows that decide about them, all named by their project, by which a cluster joins them. A statement about
 * one run names that project itself, as `project`: a cluster sends it to the project's node then.
 */
export const runsWithCaps = (
  project = 'r.project_id',
) => `runs r join project_usage u on u.project_id = ${project}
  join projects p on p.id = ${project} join agents a on a.project_id = ${project} and a.id = r.agent_id
  left join accounts c on c.id = p.account_id
  left join deployments d on d.project_id = ${project} and d.id = coalesce(r.deployment_id, a.current_deployment_id)`

/** Whether a run may still dispatch items and its counts are complete. */
export const IS_OPEN = '(r.finished_at is null and not r.materializing and r.stop_reason is null)'

/**
 * Whether items of a run are dispatched at all. A deleted project has no account, so its items are not, even before the
 * tick has stopped its runs: in a copy of a database they are another installation's.
 */
export const IS_SERVED = `(d.id is not null and c.status is not distinct from 'active' and not ${IS_HELD})`

/** At most `cap` items may run at once, and `running` do; a null cap bounds nothing. */
interface Cap {
  readonly cap: string
  readonly running: string
}

const PROJECT_CAP: Cap = {
  cap: `coalesce((p.settings->>'concurrency')::int, ${LIMITS.project_concurrency})`,
  running: 'u.running',
}

/** The run's own cap, then the cap that its deployment declares. */
const RUN_CAPS: readonly Cap[] = [
  { cap: 'r.concurrency', running: 'r.running' },
  { cap: `(d.declaration->>'concurrency')::int`, running: 'r.running' },
]

/** Expected cost of one item: its budget if there is one, else the run's average so far; null is unknown. */
const EXPECTED_MICRO = `coalesce(round((d.declaration->>'item_budget_cents')::numeric * 10000),
  ceil(r.cost_micro::numeric / nullif(ended_items(r), 0)))::bigint`

const left = ({ cap, running }: Cap) => `${cap} - ${running}`

/** How many more items the project's cap allows to all its runs together. */
export const PROJECT_ROOM = `greatest(0, ${left(PROJECT_CAP)})`

/** How many more items the money allows; null if it bounds nothing, which `least` ignores. */
const affordable = (bound: string, spent: string, running: string) => `case
  when ${bound} is null then null when ${spent} >= ${bound} then 0
  when ${EXPECTED_MICRO} is null then greatest(0, ${LIMITS.budget_probe_items} - ${running})
  when ${EXPECTED_MICRO} = 0 then null
  else greatest((${bound} - ${spent}) / ${EXPECTED_MICRO} - ${running}, (${running} = 0)::int) end`

const OWN_CAPS = `${RUN_CAPS.map(left).join(', ')}, ${PILOT_LEFT}`

/** Items that a run may begin by its own caps, money aside; null is any number. */
export const CAPS_ROOM = `least(${OWN_CAPS})`

/** Items that a run may begin by its own caps and all money, without the cap of its project; null is any number. */
export const runRoom = (project = 'r.project_id') => `least(${OWN_CAPS},
    ${affordable('r.budget_micro', 'r.cost_micro', 'r.running')}, ${affordable('p.credit_micro', 'u.spent_micro', 'u.running')},
    ${tightestBudget(project, affordable)}, case when r.waits_for_price then 0 end)`
export const RUN_ROOM = runRoom()

const isBelow = ({ cap, running }: Cap) => `coalesce(${running} < ${cap}, true)`

/**
 * Whether the caps leave a run any room, money aside: a run whose money is gone must be found, so that it is stopped or
 * paused. A declared cap is at least one, so it is read only for runs with items in flight.
 */
export const HAS_ROOM = `(${isBelow(PROJECT_CAP)} and coalesce(${PILOT_LEFT} > 0, true)
  and (r.running = 0 or ${RUN_CAPS.map(isBelow).join(' and ')}))`
