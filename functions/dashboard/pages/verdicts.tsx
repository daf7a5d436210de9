// How good verdicts are: for each agent and reason, how often people judged the verdict right.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { List, Pager } from '../parts/list.tsx'
import { Crumb, count } from '../parts/text.tsx'
import { ofProject } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

export const verdictsPage = page({
  path: '/dashboard/projects/{projectId}/verdicts',
  query: z.strictObject({ cursor: z.string().optional() }),
  async show({ api, params: { projectId: project_id }, query, request }) {
    const { data } = await api.GET('/v1/verdicts', { params: { query: { project_id, ...defined(query) } } })
    const { rows, next_cursor } = data!
    return {
      title: 'Verdicts',
      project_id,
      menu: 'triage',
      cli: 'assay verdicts',
      body: (
        <>
          <Crumb href={ofProject(project_id, 'triage')}>Triage</Crumb>
          <h1>How good verdicts are</h1>
          <p class="dim">
            What people judged in triage in the last {LIMITS.verdicts_days} days. Replaying or dismissing an
            item by itself takes its verdict as right; acknowledging it, and deciding about a whole cohort,
            says nothing about it, unless the cohort is called wrong. An ok item that was called wrong counts
            once it is decided about.
          </p>
          <List
            id="verdicts"
            rows={rows}
            columns={[
              { label: 'Agent', cell: row => row.agent_slug },
              {
                label: 'Reason',
                cell: row => (
                  <>
                    <a
                      href={ofProject(
                        project_id,
                        `triage?${new URLSearchParams({ agent_id: row.agent_id, reason: row.reason })}`,
                      )}
                    >
                      {reasonMeaning(row.reason)}
                    </a>{' '}
                    <code>{row.reason}</code>
                  </>
                ),
              },
              { label: 'Judged', numeric: true, cell: row => count(row.judged) },
              { label: 'Confirmed', numeric: true, cell: row => count(row.confirmed) },
              { label: 'Wrong', numeric: true, cell: row => count(row.wrong) },
              {
                label: 'Precision',
                numeric: true,
                cell: row =>
                  row.often_wrong ? (
                    <span class="v-degraded">{row.precision.toFixed(2)}, often wrong</span>
                  ) : (
                    row.precision.toFixed(2)
                  ),
              },
            ]}
            empty={<p>Nobody has judged a verdict yet. In triage, w calls one wrong.</p>}
          />
          <Pager request={request} next={next_cursor} />
        </>
      ),
    }
  },
})
