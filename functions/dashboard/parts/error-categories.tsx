// What goes wrong in steps: the most frequent first, and day by day; each a link to the steps.

import { reasonMeaning } from '../../../shared/recovery/rules/outcome-meanings.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { ofProject } from '../shell/addresses.ts'
import { defined } from '../shell/defined.ts'
import { count, percent, Verdict, When } from './text.tsx'

interface ErrorCategoriesProps {
  errors: Schemas['StepErrors']
  project_id: string
  /** As the form of the search has it. */
  range: Record<string, string>
  now: number
}

const SHOWN = 12

export const ErrorCategories = ({ errors, project_id, range, now }: ErrorCategoriesProps) =>
  errors.categories.length === 0 ? (
    ''
  ) : (
    <section aria-label="What goes wrong" class="scroll stacked">
      <h2>What goes wrong in steps</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Worked</th>
            <th scope="col" class="numeric">
              Steps
            </th>
            <th scope="col">Share of {count(errors.total_steps)}</th>
            <th scope="col" class="numeric">
              Latest
            </th>
          </tr>
        </thead>
        <tbody>
          {errors.categories.slice(0, SHOWN).map(one => {
            const query = defined({
              q: one.tool_name ?? one.error_code ?? '',
              outcome: one.outcome,
              reason: one.outcome_reason ?? '',
              ...range,
            })
            return (
              <tr>
                <td>
                  <a href={`${ofProject(project_id, 'search')}?${new URLSearchParams(query)}`}>
                    <bdi>{nameOf(one)}</bdi>
                  </a>
                  {one.error_code !== null && <div class="dim">{one.error_code}</div>}
                </td>
                <td>
                  <Verdict of={one.outcome} />
                </td>
                <td class="numeric">{count(one.steps)}</td>
                <td>
                  <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect
                      class={`fill-${one.outcome}`}
                      width={((100 * one.steps) / Math.max(1, errors.total_steps)).toFixed(1)}
                      height="8"
                    />
                  </svg>{' '}
                  <span class="dim">{percent(one.steps, errors.total_steps)}</span>
                </td>
                <td class="numeric">
                  <When at={one.last_at} now={now} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )

const nameOf = ({ tool_name, outcome_reason, error_code }: Schemas['StepErrors']['categories'][number]) =>
  [tool_name, outcome_reason === null ? error_code : reasonMeaning(outcome_reason)].filter(Boolean).join(': ')

const DAY_MS = 86_400_000
const DAYS = 7

export interface ErrorDay {
  /** As YYYY-MM-DD, in UTC. */
  day: string
  next: string
  steps: number
}

/** How many steps did not work on each of the last days, the oldest first. */
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
