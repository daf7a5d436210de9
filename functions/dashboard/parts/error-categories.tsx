// What goes wrong in steps, the most frequent first, each a link to the steps.

import { reasonMeaning } from '../../../shared/domain/outcome-meanings.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofProject } from '../frame/addresses.ts'
import { defined } from '../frame/defined.ts'
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
    <section aria-label="What goes wrong" class="scroll">
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
