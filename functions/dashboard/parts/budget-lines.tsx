// Daily and monthly budgets: what is left of each and until when, and the form fields that set them.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { AMOUNT_HINT } from '../shell/dollars.ts'
import type { Entered } from '../shell/page.ts'
import { Field } from './form.tsx'
import { cents, When } from './text.tsx'

type Budgets = readonly Schemas['Budget'][]

const FIELDS = [
  { name: 'day_budget_cents', period: 'day' },
  { name: 'month_budget_cents', period: 'month' },
] as const

export const BudgetLines = ({ budgets, now }: { budgets: Budgets; now: number }) => (
  <>
    {budgets.map(({ period, left_cents, limit_cents, ends_at }) => (
      <div class={left_cents === 0 ? 'v-failed' : undefined}>
        {period}: {cents(left_cents)} of {cents(limit_cents)} left
        {left_cents === 0 && (
          <>
            , goes on <When at={ends_at} now={now} />
          </>
        )}
      </div>
    ))}
  </>
)

export const BudgetFields = ({ budgets, entered }: { budgets: Budgets; entered: Entered }) => (
  <>
    {FIELDS.map(({ name, period }) => {
      const budget = budgets.find(one => one.period === period)
      const left = budget === undefined ? '' : `${cents(budget.left_cents)} are left. `
      return (
        <Field
          label={`Budget of a ${period}`}
          hint={`${left}${AMOUNT_HINT} Leave empty for no limit; when it is spent, items pause, and continue in the next ${period}.`}
        >
          <input
            name={name}
            inputmode="decimal"
            value={entered[name] ?? (budget === undefined ? '' : (budget.limit_cents / 100).toFixed(2))}
          />
        </Field>
      )
    })}
  </>
)

/** The limits in cents by field name; null where there is none. */
export const limitsOf = (budgets: Budgets): Record<string, number | null> =>
  Object.fromEntries(
    FIELDS.map(({ name, period }) => [
      name,
      budgets.find(budget => budget.period === period)?.limit_cents ?? null,
    ]),
  )
