// What each model cost, by agent, over the last days.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { Choice } from '../parts/choice.tsx'
import { ModelUsage } from '../parts/model-usage.tsx'
import { counted, money } from '../parts/text.tsx'
import { ofProject } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

const { default: MONTH, max: QUARTER } = LIMITS.model_usage_days
const DAYS = { 1: 'today', 7: 'the last 7 days', 30: 'the last 30 days', 90: 'the last 90 days' }

export const modelsPage = page({
  path: '/dashboard/projects/{projectId}/models',
  query: z.strictObject({ days: z.coerce.number().int().min(1).max(QUARTER).default(MONTH) }),
  async show({ api, params, query }) {
    const { days } = query
    const { data } = await api.GET('/v1/projects/{projectId}/models', {
      params: { path: params, query: { days } },
    })
    const { models, since } = data!
    const cost = models.reduce((sum, one) => sum + one.cost_usd, 0)
    const calls = models.reduce((sum, one) => sum + one.calls, 0)
    return {
      title: 'Models',
      project_id: params.projectId,
      menu: 'models',
      cli: `assay models --days ${days}`,
      body: (
        <>
          <h1>Models</h1>
          <form class="filters" method="get">
            <Choice name="days" label="Calls of" options={DAYS} chosen={String(days)} />
            <button>Show</button>
          </form>
          <p>
            {counted(calls, 'call')} since {since} (UTC) cost{' '}
            {models.some(one => one.unpriced > 0) && 'at least '}
            {money(cost)}. Retries are calls of their own; what a replay took over was not called again.
            Latencies are within 9 %.
          </p>
          <ModelUsage models={models} />
          <p>
            <a href={ofProject(params.projectId, 'prices')}>Prices</a>
          </p>
        </>
      ),
    }
  },
})
