// The model prices of a project, each valid from a date: list, set and remove.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { Field, RoleRequired, Sure } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { count, counted, money, When } from '../parts/text.tsx'
import { ofProject } from '../shell/addresses.ts'
import { type Around, action, type Entered, page, type View } from '../shell/page.ts'

type Price = Schemas['OwnPrice']
type Check = Schemas['PriceCheck']

const EVER = new Date(0).toISOString()

export const pricesPage = page({
  path: '/dashboard/projects/{projectId}/prices',
  query: z.object({ model: z.string().optional() }),
  async show({ api, params, member, ctx, query }) {
    const [{ data }, { data: check }] = await Promise.all([
      api.GET('/v1/projects/{projectId}/prices', { params: { path: params } }),
      api.GET('/v1/projects/{projectId}/prices/check', { params: { path: params } }),
    ])
    const shown = { now: ctx.now(), mayChange: member.role !== 'viewer', check: check! }
    return pricesView(params.projectId, data!, shown, query)
  },
})

const pricesView = (
  project_id: string,
  prices: readonly Price[],
  { now, mayChange, check }: { now: number; mayChange: boolean; check?: Check },
  entered: Entered,
): View => ({
  title: 'Prices',
  project_id,
  menu: 'prices',
  cli: 'assay prices list',
  body: (
    <>
      <h1>Prices</h1>
      <p class="dim">
        Dollars per million tokens. A model without a price here has that of the list that Assay brings; one
        that has none there either is unpriced, and pauses its items where there is a budget.
      </p>
      {!mayChange && <RoleRequired least="operator" />}
      <PriceList {...{ project_id, prices, now, mayChange }} />
      {check && <CheckedModels check={check} now={now} />}
      {mayChange && <PriceForm project_id={project_id} entered={entered} />}
    </>
  ),
})

const PriceList = ({ project_id, prices, now, mayChange }: Around & { prices: readonly Price[] }) => (
  <List
    id="prices"
    rows={prices}
    columns={[
      { label: 'Model', cell: price => <code>{price.model}</code> },
      { label: 'Input', numeric: true, cell: price => money(price.input_per_mtok) },
      {
        label: 'Cached input',
        numeric: true,
        cell: price => (price.cached_input_per_mtok === null ? '' : money(price.cached_input_per_mtok)),
      },
      { label: 'Output', numeric: true, cell: price => money(price.output_per_mtok) },
      {
        label: 'From',
        cell: price =>
          price.effective_from === EVER ? 'ever' : <When at={price.effective_from} now={now} />,
      },
      {
        label: '',
        numeric: true,
        cell: price =>
          mayChange && (
            <Sure
              label="Remove"
              consequence={`Items taken from now on have the price of ${price.model} before this one, or that of the list, or none. Recorded costs stay as they are.`}
              action={ofProject(project_id, `prices/${price.id}/remove`)}
            />
          ),
      },
    ]}
    empty={<p>No price of its own yet.</p>}
  />
)

/** Lists the models called lately that have no price, or a price of the project's own that may be out of date. */
const CheckedModels = ({ check, now }: { check: Check; now: number }) => (
  <>
    <h2>Models called lately</h2>
    <p class="dim">
      In {counted(check.runs, 'run')} since <When at={check.since} now={now} />
      {check.is_whole
        ? ''
        : `: a sample, of each the first ${count(LIMITS.prices_checked_steps)} steps; calls and cost are of these`}
      . Recorded costs stay, whatever price is set.
    </p>
    <List
      id="checked-models"
      rows={check.models}
      columns={[
        { label: 'Model', cell: one => <code>{one.model}</code> },
        { label: 'Price', cell: priceWords },
        { label: 'Listed as', cell: one => one.listed_as ?? '' },
        { label: 'Calls', numeric: true, cell: one => count(one.calls) },
        { label: 'Calls without a price', numeric: true, cell: one => count(one.unpriced_calls) },
        { label: 'Cost', numeric: true, cell: one => money(one.cost_usd) },
      ]}
      empty={<p>No model was called.</p>}
    />
  </>
)

function priceWords({ state, source, nearest }: Check['models'][number]): string {
  if (state === 'older_than_list') return 'own, older than the list, which says another'
  if (source !== null) return source
  return nearest.length === 0 ? 'none' : `none; the list has ${nearest.join(', ')}`
}

const PriceForm = ({ project_id, entered }: { project_id: string; entered: Entered }) => (
  <>
    <h2>Set a price</h2>
    <form class="stack" method="post" action={ofProject(project_id, 'prices')}>
      <Field label="Model" hint="As the provider names it; its dated snapshots have the same price.">
        <input name="model" required maxlength={LIMITS.name_characters} value={entered.model ?? ''} />
      </Field>
      <Field label="Input, dollars per million tokens">
        <input name="input_per_mtok" inputmode="decimal" required value={entered.input_per_mtok ?? ''} />
      </Field>
      <Field label="Output, dollars per million tokens">
        <input name="output_per_mtok" inputmode="decimal" required value={entered.output_per_mtok ?? ''} />
      </Field>
      <Field label="Cached input" hint="Leave empty for the price of input.">
        <input name="cached_input_per_mtok" inputmode="decimal" value={entered.cached_input_per_mtok ?? ''} />
      </Field>
      <Field label="From (UTC)" hint="Leave empty for now on. Recorded costs stay as they are.">
        <input name="day" type="date" value={entered.day ?? ''} />
      </Field>
      <div>
        <button class="primary">Set the price</button>
      </div>
    </form>
  </>
)

const perMillion = z
  .string()
  .trim()
  .regex(/^\$?\d+(\.\d+)?$/, 'must be dollars, such as 2.50')
  .transform(text => Number(text.replace('$', '')))

export const setPrice = action({
  path: '/dashboard/projects/{projectId}/prices',
  least: 'operator',
  form: z.strictObject({
    model: z.string().trim(),
    input_per_mtok: perMillion,
    output_per_mtok: perMillion,
    cached_input_per_mtok: perMillion.or(z.literal('')),
    day: z.iso.date().or(z.literal('')),
  }),
  async again({ api, params, member, ctx }, entered) {
    const { data } = await api.GET('/v1/projects/{projectId}/prices', { params: { path: params } })
    return pricesView(
      params.projectId,
      data!,
      { now: ctx.now(), mayChange: member.role !== 'viewer' },
      entered,
    )
  },
  async act({ api, params }, { cached_input_per_mtok, day, ...price }) {
    const body = {
      ...price,
      ...(cached_input_per_mtok !== '' && { cached_input_per_mtok }),
      ...(day !== '' && { effective_from: `${day}T00:00:00Z` }),
    }
    await api.POST('/v1/projects/{projectId}/prices', { params: { path: params }, body })
    const said = `The price of ${price.model} is set; items that wait for it alone continue within a minute.`
    return { to: ofProject(params.projectId, 'prices'), said }
  },
})

export const removePrice = action({
  path: '/dashboard/projects/{projectId}/prices/{priceId}/remove',
  async act({ api, params }) {
    const { projectId, priceId } = params
    await api.DELETE('/v1/projects/{projectId}/prices/{priceId}', {
      params: { path: { projectId, priceId } },
    })
    return { to: ofProject(projectId, 'prices'), said: 'The price is removed.' }
  },
})
