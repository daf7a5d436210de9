// What goes wrong in steps, most frequent first and day by day; each line links to the steps.

import { defined } from '../../../shared/kernel/defined.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { ofProject } from '../shell/addresses.ts'
import { List } from './list.tsx'
import { count, percent, Verdict, When } from './text.tsx'

type Category = Schemas['StepErrors']['categories'][number]

interface ErrorCategoriesProps {
  errors: Schemas['StepErrors']
  project_id: string
  /** The range as the search form sends it. */
  range: Record<string, string>
  now: number
}

const SHOWN = 12

export const ErrorCategories = ({ errors, project_id, range, now }: ErrorCategoriesProps) =>
  errors.categories.length === 0 ? (
    ''
  ) : (
    <section aria-label="What goes wrong">
      <h2>What goes wrong in steps</h2>
      <List
        id="what-goes-wrong"
        rows={errors.categories.slice(0, SHOWN)}
        columns={[
          { label: 'What', cell: one => <Found of={one} project_id={project_id} range={range} /> },
          { label: 'Worked', cell: one => <Verdict of={one.outcome} /> },
          { label: 'Steps', numeric: true, cell: one => count(one.steps) },
          { label: 'Share', cell: one => <Share of={one} total={errors.total_steps} /> },
          { label: 'Latest', numeric: true, cell: one => <When at={one.last_at} now={now} /> },
        ]}
        empty=""
      />
      {errors.categories.length > SHOWN && (
        <p class="dim">
          The {SHOWN} most frequent of {count(errors.categories.length)}; a shorter time, or the search above,
          shows others.
        </p>
      )}
    </section>
  )

const Found = ({
  of,
  project_id,
  range,
}: Pick<ErrorCategoriesProps, 'project_id' | 'range'> & { of: Category }) => {
  const query = defined({
    q: of.tool_name ?? of.error_code ?? '',
    in: 'everything',
    outcome: of.outcome,
    reason: of.outcome_reason ?? '',
    ...range,
  })
  return (
    <>
      <a href={`${ofProject(project_id, 'search')}?${new URLSearchParams(query)}`}>
        <bdi>{nameOf(of)}</bdi>
      </a>
      {of.error_code !== null && <div class="dim">{of.error_code}</div>}
    </>
  )
}

const Share = ({ of, total }: { of: Category; total: number }) => (
  <>
    <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect
        class={`fill-${of.outcome}`}
        width={((100 * of.steps) / Math.max(1, total)).toFixed(1)}
        height="8"
      />
    </svg>{' '}
    <span class="dim">
      {percent(of.steps, total)} of {count(total)}
    </span>
  </>
)

const nameOf = ({ tool_name, outcome_reason, error_code }: Category) =>
  [tool_name, outcome_reason === null ? error_code : reasonMeaning(outcome_reason)].filter(Boolean).join(': ')

const DAY_MS = 86_400_000
const DAYS = 7

export interface ErrorDay {
  /** As YYYY-MM-DD, in UTC. */
  day: string
  next: string
  steps: number
}

/** Counts the steps that did not work on each of the last days, oldest first. */
export async function readErrorDays(api: Client, project_id: string, now: number): Promise<ErrorDay[]> {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const days = Array.from({ length: DAYS }, (_, n) => today - (DAYS - 1 - n) * DAY_MS)
  return Promise.all(
    days.map(async start => {
      const [from, to] = [start, start + DAY_MS].map(ms => new Date(ms).toISOString()) as [string, string]
      const { data } = await api.GET('/v1/steps/error-categories', {
        params: { query: { project_id, from, to } },
      })
      return { day: from.slice(0, 10), next: to.slice(0, 10), steps: data?.total_steps ?? 0 }
    }),
  )
}

export const ErrorDays = ({ days, project_id }: { days: readonly ErrorDay[]; project_id: string }) => {
  const most = Math.max(...days.map(one => one.steps))
  if (most === 0) return ''
  return (
    <section aria-label="Day by day" class="days">
      <h2>Steps that did not work, day by day</h2>
      <ol>
        {days.map(({ day, next, steps }) => (
          <li>
            <a href={`${ofProject(project_id, 'search')}?from=${day}T00:00&to=${next}T00:00`}>
              <time datetime={day}>{day}</time>
            </a>
            <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect class="fill-failed" width={((100 * steps) / most).toFixed(1)} height="8" />
            </svg>
            <span class="numeric">{count(steps)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
