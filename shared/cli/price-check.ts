// The command that lists recently called models without a price, or with a project price that may be out of date.

import { setPriceCommand } from '../prices/rules/prices.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode } from './failure.ts'
import { clean, count, plural, spend } from './format.ts'
import type { Screen } from './output.ts'
import { onlyProject } from './projects.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Check = Schemas['PriceCheck']
type Model = Check['models'][number]

const MODELS: Column<Model>[] = [
  { title: 'MODEL', value: row => clean(row.model), least: 12 },
  {
    title: 'PRICE',
    value: ({ state, source, effective_from }) =>
      state === 'none'
        ? 'none'
        : source === 'list'
          ? 'list'
          : `own, from ${effective_from?.slice(0, 10)}${state === 'current' ? '' : ': the list is newer and says another'}`,
    style: ({ state }) => (state === 'none' ? 'red' : state === 'current' ? undefined : 'yellow'),
  },
  { title: 'LISTED AS', value: row => row.listed_as ?? '-', optional: 1, least: 10 },
  { title: 'CALLS', value: row => count(row.calls), align: 'right' },
  { title: 'UNPRICED', value: row => count(row.unpriced_calls), align: 'right', optional: 2 },
  { title: 'COST', value: row => spend(row.cost_usd, row.unpriced_calls > 0), align: 'right' },
]

function checkText(check: Check, screen: Screen): string {
  const wanting = check.models.filter(({ state }) => state === 'none')
  const hints = wanting.flatMap(({ model, nearest }) => [
    `${clean(model)} has no price${nearest.length > 0 ? `; the list has ${nearest.map(clean).join(', ')}` : ''}`,
    `  ${setPriceCommand(clean(model))}`,
  ])
  const looked = `${plural(check.runs, 'run')} since ${check.since.slice(0, 10)}${check.is_whole ? '' : ', the latest of them and those with calls that had no price'}`
  const list = `list prices of ${check.prices_as_of} (${check.source}); recorded costs stay as they are`
  if (check.models.length === 0) return `no model was called in ${looked}\n${list}`
  return [table(MODELS, check.models, screen), '', ...hints, looked, list].join('\n')
}

/** Exits as degraded if a model has no price, so that a script notices. */
export async function checkPrices(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const path = { projectId: given.text('project') ?? (await onlyProject(api)) }
  const check = await answered(api.GET('/v1/projects/{projectId}/prices/check', { params: { path } }))
  output.emit('price_check', check, screen => checkText(check, screen))
  return check.models.some(({ state }) => state === 'none') ? EXIT.degraded : EXIT.ok
}
