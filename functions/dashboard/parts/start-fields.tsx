// The part of a form with the settings of the runs that a schedule or a trigger starts: fields, parsing and request
// body.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import type { Start } from '../../../shared/view/start.ts'
import { dollars, whole } from '../shell/form-values.ts'
import { UNCOUNTED } from './agent-budget.ts'
import { Field } from './form.tsx'
import { tagsOf } from './submit-order.ts'
import { cents } from './text.tsx'

export const startForm = {
  budget_usd: z.string().default('').pipe(dollars),
  allow_unpriced: z.string().optional(),
  pilot_items: whole.default(null),
  // Optional: a form opened before these fields existed does not send them.
  concurrency: whole.optional(),
  timeout_seconds: whole.optional(),
  patience_seconds: whole.optional(),
  callback_url: z.string().default(''),
  tags: z.string().default(''),
}

/** The values of the fields. */
export type StartEntered = Partial<Record<keyof typeof startForm, string | undefined>>

/** Field values of an existing schedule or trigger. */
export const startAsItIs = (start: Start): StartEntered => ({
  budget_usd: start.budget_cents === null ? '' : (start.budget_cents / 100).toFixed(2),
  allow_unpriced: start.allow_unpriced ? 'true' : undefined,
  pilot_items: start.pilot_items?.toString(),
  concurrency: start.concurrency?.toString(),
  timeout_seconds: start.timeout_seconds?.toString(),
  patience_seconds: start.patience_seconds?.toString(),
  callback_url: start.callback_url ?? '',
  tags: start.tags.join(', '),
})

/** The settings as text, for members who may not change them. */
export const startFacts = (start: Start) => ({
  'Budget of each run': start.budget_cents === null ? 'none' : cents(start.budget_cents),
  'Models without a price': start.allow_unpriced ? 'allowed' : 'pause under a budget',
  'Items that go first': start.pilot_items,
  'Items at work at once': start.concurrency,
  'Seconds an item may take': start.timeout_seconds,
  'Seconds a run waits for providers': start.patience_seconds,
  'Callback URL': start.callback_url,
  Tags: start.tags.join(', '),
})

/** The settings as the API takes them. */
export function startBody(filled: z.output<z.ZodObject<typeof startForm>>) {
  const { budget_usd, allow_unpriced, pilot_items, callback_url, tags } = filled
  const { concurrency, timeout_seconds, patience_seconds } = filled
  return {
    budget_cents: budget_usd,
    allow_unpriced: allow_unpriced !== undefined,
    pilot_items,
    ...defined({ concurrency, timeout_seconds, patience_seconds }),
    callback_url: callback_url || null,
    tags: tagsOf(tags),
  }
}

export const StartFields = ({ entered }: { entered: StartEntered }) => (
  <>
    <Field label="Budget of each run in dollars" hint="Leave empty for no limit.">
      <input name="budget_usd" inputmode="decimal" value={entered.budget_usd ?? ''} />
    </Field>
    <AllowUnpriced checked={entered.allow_unpriced !== undefined} />
    <Numbers entered={entered} />
    <CallbackField value={entered.callback_url ?? ''} />
    <TagsField value={entered.tags ?? ''} />
  </>
)

const Numbers = ({ entered }: { entered: StartEntered }) => (
  <>
    {NUMBERS.map(({ name, label, hint }) => (
      <Field label={label} hint={hint}>
        <input name={name} inputmode="numeric" value={entered[name] ?? ''} />
      </Field>
    ))}
  </>
)

const NUMBERS = [
  {
    name: 'pilot_items',
    label: 'Items that go first',
    hint: 'The others follow when one of these was ok. Leave empty to start all at once.',
  },
  {
    name: 'concurrency',
    label: 'Items at work at once',
    hint: 'In each run. Leave empty for no bound but those of the agent and the project.',
  },
  {
    name: 'timeout_seconds',
    label: 'Seconds an item may take',
    hint: 'Leave empty for what the agent says.',
  },
  {
    name: 'patience_seconds',
    label: 'Seconds a run waits for providers',
    hint: 'That serve nobody, added up. Leave empty for what the agent says, else a day.',
  },
] as const

const CallbackField = ({ value }: { value: string }) => (
  <Field label="Callback URL" hint="Gets a signed summary when a run ends.">
    <input name="callback_url" type="url" value={value} />
  </Field>
)

const TagsField = ({ value }: { value: string }) => (
  <Field label="Tags" hint="Words by which its runs are found again, with commas between them.">
    <input name="tags" value={value} />
  </Field>
)

export const AllowUnpriced = ({ checked }: { checked: boolean }) => (
  <label class="inline">
    <input type="checkbox" name="allow_unpriced" value="true" checked={checked} /> {UNCOUNTED}: of models
    without a price, and calls that the agent does not report
  </label>
)
