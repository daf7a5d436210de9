// Grades the recorded answers of a run again, by the rules of today or by others, to try out a change of rules. It
// changes nothing.

import * as z from 'zod'
import { NO_CHECKS, writeChecks } from '../../../shared/grading/rules/check-names.ts'
import { type Regrade, RegradeTally } from '../../../shared/grading/rules/regrade.ts'
import { ANSWER_CHECKS, REFUSAL_CHOICES } from '../../../shared/grading/vocabulary.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { sayDiffering, sayLeft, sayRules } from '../../../shared/view/grade.ts'
import { among, Choice } from '../parts/choice.tsx'
import { List } from '../parts/list.tsx'
import { runOf } from '../parts/run-reads.ts'
import { count, counted } from '../parts/text.tsx'
import { ofItem, ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

type Change = Regrade['changes'][number]
type Asked = { refusals?: Schemas['Grade']['refusals']; checks?: string }

const CHECK_CHOICES = [NO_CHECKS, ...ANSWER_CHECKS, writeChecks(ANSWER_CHECKS)]

const REFUSALS = { '': 'as declared', ...among(REFUSAL_CHOICES) }
const CHECKS = {
  '': 'as declared',
  ...among(CHECK_CHOICES, one => (one.includes(',') ? 'all' : one)),
}

export const gradeRunPage = page({
  path: '/dashboard/runs/{runId}/grade',
  query: z.strictObject({
    refusals: z.enum(['', ...REFUSAL_CHOICES]).optional(),
    checks: z.enum(['', ...CHECK_CHOICES]).optional(),
  }),
  async show({ api, params, query, ctx }) {
    const run = await runOf(api, params.runId)
    const asked: Asked = {
      ...(query.refusals && { refusals: query.refusals }),
      ...(query.checks && { checks: query.checks }),
    }
    const { rules, result, isWhole } = await graded(api, run.id, asked, ctx.now)
    const name = run.name ?? run.agent_slug
    const options = Object.entries(asked).map(([option, value]) => ` --${option} ${value}`)
    return {
      title: `${name}, graded again`,
      project_id: run.project_id,
      menu: 'runs',
      cli: `assay grade ${run.id}${options.join('')}`,
      body: (
        <>
          <h1>
            <a href={ofRun(run.id)}>{name}</a>, graded again
          </h1>
          <p class="lead">Under these rules {sayDiffering(result.changes) ?? 'nothing differs'}.</p>
          <p>
            {isWhole ? '' : 'So far: '}
            {counted(result.calls, 'recorded call')} of {counted(result.items, 'item')} that returned, by{' '}
            {sayRules(rules)}. Nothing was asked again, and what was recorded stays.
            {result.calls_left > 0 && ` ${sayLeft(result.calls_left)}.`}
            {!isWhole && ' The command below looks at all of it.'}
          </p>
          <form class="filters" method="get">
            <Choice name="refusals" label="Refusals by wording" options={REFUSALS} chosen={query.refusals} />
            <Choice name="checks" label="Checks" options={CHECKS} chosen={query.checks} />
            <button>Grade again</button>
          </form>
          <h2>Verdicts</h2>
          <List
            id="verdicts"
            rows={result.verdicts}
            columns={[
              { label: 'Verdict', cell: row => row.verdict },
              { label: 'Items were', numeric: true, cell: row => count(row.items_was) },
              { label: 'Items are', numeric: true, cell: row => count(row.items_now) },
              { label: 'Calls were', numeric: true, cell: row => count(row.calls_was) },
              { label: 'Calls are', numeric: true, cell: row => count(row.calls_now) },
            ]}
            empty="No item of this run has returned."
          />
          {result.changes.length > 0 && <h2>What differs</h2>}
          {result.changes.length > 0 && <Changes changes={result.changes} />}
        </>
      ),
    }
  },
})

/** Grades as much of the run as fits into LIMITS.regrade_page_ms. */
async function graded(api: Client, runId: string, asked: Asked, now: () => number) {
  const tally = new RegradeTally()
  const until = now() + LIMITS.regrade_page_ms
  for (let cursor: string | undefined; ; ) {
    const query = { ...asked, ...(cursor && { cursor }) }
    const { data } = await api.GET('/v2/runs/{runId}/grade', { params: { path: { runId }, query } })
    tally.add(data!)
    cursor = data!.next_cursor ?? undefined
    const isWhole = cursor === undefined
    if (isWhole || now() >= until) return { rules: data!, result: tally.result(), isWhole }
  }
}

const Changes = ({ changes }: { changes: readonly Change[] }) => (
  <List
    id="changes"
    rows={changes}
    columns={[
      { label: 'How many', numeric: true, cell: row => counted(row.count, row.of) },
      { label: 'Was', cell: row => row.was },
      { label: 'Now', cell: row => row.now },
      {
        label: 'Such as',
        cell: row =>
          row.examples.map(({ item_id, record_id, step }, at) => (
            <>
              {at > 0 && ', '}
              <a href={ofItem(record_id!)}>
                <bdi>{item_id}</bdi>
              </a>
              {step !== null && ` ${step}`}
            </>
          )),
      },
    ]}
    empty=""
  />
)
