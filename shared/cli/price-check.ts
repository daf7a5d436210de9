// The command that lists recently called models without a price, or with a project price that may be out of date.

import { LIMITS } from '../kernel/limits.ts'
import { setPriceCommand } from '../prices/rules/prices.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode } from './failure.ts'
import { clean, count, plural, spend, wrap } from './format.ts'
import type { Screen } from './output.ts'
import { projectOf } from './projects.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Check = Schemas['PriceCheck']
type Model = Check['models'][number]

/** Of a sample, calls and cost are no totals, and their titles say so. */
const columnsOf = ({ is_whole }: Check): Column<Model>[] => [
  { title: 'MODEL', value: row => clean(row.model), least: 12 },
  {
    title: 'PRICE',
    value: ({ state, source, listed_as, effective_from }) => {
      if (state === 'none') return 'none'
      // The model of the examples has a price that comes with Assay.
      if (source === 'list') return listed_as === null ? 'for examples' : 'of the list'
      return `your own, from ${effective_from?.slice(0, 10)}${state === 'current' ? '' : ' (old)'}`
    },
    style: ({ state }) => (state === 'none' ? 'red' : state === 'current' ? undefined : 'yellow'),
  },
  { title: 'IN THE LIST AS', value: row => row.listed_as ?? 'not there', optional: 1, least: 14 },
  { title: is_whole ? 'CALLS' : 'CALLS READ', value: row => count(row.calls), align: 'right' },
  { title: 'WITHOUT A PRICE', value: row => count(row.unpriced_calls), align: 'right', optional: 2 },
  {
    title: is_whole ? 'COST' : 'COST OF THESE',
    value: row => spend(row.cost_usd, row.unpriced_calls > 0),
    align: 'right',
  },
]

function checkText(check: Check, screen: Screen): string {
  const wanting = check.models.filter(({ state }) => state === 'none')
  const hints = wanting.flatMap(({ model, nearest }) => [
    `${clean(model)} has no price${nearest.length > 0 ? `; the list has ${nearest.map(clean).join(', ')}` : ''}`,
    `  ${setPriceCommand(clean(model))}`,
  ])
  const list = `list prices of ${check.prices_as_of} (${check.source}); recorded costs stay as they are`
  const since = check.since.slice(0, 10)
  if (check.models.length === 0)
    return `no model was called in ${plural(check.runs, 'run')} since ${since}\n${list}`
  const notes = [...hints, readWords(check, since), ...markWords(check), list]
  return [
    table(columnsOf(check), check.models, screen),
    '',
    ...notes.flatMap(line => wrap(line, screen.columns)),
  ].join('\n')
}

/** Which calls were read. The list is for finding models without a price; `assay models` has the totals. */
function readWords({ runs, models, is_whole }: Check, since: string): string {
  const calls = plural(
    models.reduce((sum, one) => sum + one.calls, 0),
    'call',
  )
  if (is_whole) return `${calls} that named a model, in all of ${plural(runs, 'run')} since ${since}`
  return `a sample of ${calls}: the first ${LIMITS.prices_checked_steps} steps of each of ${plural(runs, 'run')} since ${since}, the latest and those with a call without a price. \`assay models\` has the totals`
}

/** What the marks in the table mean, as far as they occur. */
function markWords({ models, prices_as_of }: Check): string[] {
  return [
    ...(models.some(one => one.unpriced_calls > 0)
      ? ['≥ at least: calls without a price are not in the cost']
      : []),
    ...(models.some(one => one.state === 'older_than_list')
      ? [`(old) the list of ${prices_as_of} is newer and has another price; assay prices list has yours`]
      : []),
  ]
}

/** Exits as degraded if a model has no price, so that a script notices. */
export async function checkPrices(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const path = await projectOf(session, given)
  const check = await answered(api.GET('/v1/projects/{projectId}/prices/check', { params: { path } }))
  output.emit('price_check', check, screen => checkText(check, screen))
  return check.models.some(({ state }) => state === 'none') ? EXIT.degraded : EXIT.ok
}
