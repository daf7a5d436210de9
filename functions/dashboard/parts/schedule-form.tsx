// The form of a schedule, which a new one and one that is changed have alike: its fields, how they are read, and what of
// them is sent. A field that is sent has its input here, so that saving a form takes nothing away.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { RESULT_FORMATS } from '../../../shared/results/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { defined } from '../shell/defined.ts'
import { dollars, jsonText, whole } from '../shell/form-values.ts'
import type { Entered } from '../shell/page.ts'
import { Field } from './form.tsx'
import { SourceFields, sourceForm, sourceOrder } from './source-fields.tsx'
import { tagsOf } from './submit-order.ts'

/** What stands in the fields: what was typed, or what a schedule has. */
export interface ScheduleEntered extends Partial<Record<keyof typeof ownFields, string | undefined>> {
  source: Parameters<typeof SourceFields>[0]['source']
  /** Whether the fields of a source are shown at once. */
  has_source: boolean
  headers?: string | undefined
  /** Names of fields that hold a guess. */
  guessed?: readonly string[]
  allow_unpriced: boolean
}

/** A form of a schedule that is there holds what it has. */
export const asItIs = (schedule: Schemas['Schedule'], input: string): ScheduleEntered => ({
  ...{ name: schedule.name ?? '', cron: schedule.cron, timezone: schedule.timezone, input },
  source: schedule.source,
  has_source: schedule.source !== null,
  budget_usd: schedule.budget_cents === null ? '' : (schedule.budget_cents / 100).toFixed(2),
  allow_unpriced: schedule.allow_unpriced,
  pilot_items: schedule.pilot_items?.toString(),
  concurrency: schedule.concurrency?.toString(),
  timeout_seconds: schedule.timeout_seconds?.toString(),
  callback_url: schedule.callback_url ?? '',
  results_url: schedule.results?.url,
  results_format: schedule.results?.format,
  tags: schedule.tags.join(', '),
})

/** A form that is shown again holds what was typed. */
export const typedIn = (entered: Entered): ScheduleEntered => ({
  ...entered,
  source: {
    url: entered.source_url ?? '',
    generator: entered.generator ?? '',
    format: (entered.format || null) as Schemas['Source']['format'],
    item_id: entered.item_id ?? null,
    partition_key: entered.partition_key ?? null,
  },
  has_source: Boolean(entered.source_url || entered.generator || entered.headers),
  allow_unpriced: entered.allow_unpriced !== undefined,
})

export const ScheduleFields = ({ entered }: { entered: ScheduleEntered }) => (
  <>
    <Field
      label="Cron"
      hint="Minute, hour, day of the month, month, day of the week; on the wall clock of the zone."
    >
      <input
        name="cron"
        value={entered.cron ?? ''}
        required
        maxlength={LIMITS.cron_characters}
        placeholder="0 6 * * 1-5"
      />
    </Field>
    <Field label="Time zone" hint="A name of the IANA database.">
      <input name="timezone" value={entered.timezone ?? 'UTC'} required list="zones" />
    </Field>
    <datalist id="zones">
      {Intl.supportedValuesOf('timeZone').map(zone => (
        <option value={zone} />
      ))}
    </datalist>
    <Field label="Name" hint="What people call it, and its runs.">
      <input name="name" value={entered.name ?? ''} maxlength={LIMITS.name_characters} />
    </Field>
    <SourceFields
      open={entered.has_source}
      source={entered.source}
      headers={entered.headers}
      guessed={entered.guessed ?? []}
    />
    <Field
      label="Input"
      hint="JSON; each fire is one run over one item with this input, unless many items are read above."
    >
      <textarea name="input" spellcheck={false}>
        {entered.input ?? 'null'}
      </textarea>
    </Field>
    <Field label="Budget of each run in dollars" hint="Leave empty for no limit.">
      <input name="budget_usd" inputmode="decimal" value={entered.budget_usd ?? ''} />
    </Field>
    <AllowUnpriced checked={entered.allow_unpriced} />
    <Numbers entered={entered} />
    <CallbackField value={entered.callback_url ?? ''} />
    <ResultsFields url={entered.results_url} format={entered.results_format} />
    <TagsField value={entered.tags ?? ''} />
  </>
)

const Numbers = ({ entered }: { entered: ScheduleEntered }) => (
  <>
    {NUMBERS.map(({ name, label, hint }) => (
      <Field label={label} hint={hint}>
        <input name={name} type="number" min="1" value={entered[name] ?? ''} />
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

const AllowUnpriced = ({ checked }: { checked: boolean }) => (
  <label class="inline">
    <input type="checkbox" name="allow_unpriced" value="true" checked={checked} /> Go on with models without a
    price; the budget does not count them
  </label>
)

const ResultsFields = ({
  url = '',
  format = 'csv',
}: {
  url?: string | undefined
  format?: string | undefined
}) => (
  <>
    <Field
      label="URL that gets the results"
      hint="As a file, signed, when a run has ended. Leave empty to send none."
    >
      <input name="results_url" type="url" value={url} />
    </Field>
    <Field label="Format of that file">
      <select name="results_format">
        {RESULT_FORMATS.map(one => (
          <option selected={one === format}>{one}</option>
        ))}
      </select>
    </Field>
  </>
)

const ownFields = {
  name: z.string().default(''),
  cron: z.string(),
  timezone: z.string(),
  input: jsonText,
  budget_usd: dollars,
  pilot_items: whole.default(null),
  // Of a form that was opened before it had them, nothing is said of these.
  concurrency: whole.optional(),
  timeout_seconds: whole.optional(),
  callback_url: z.string().default(''),
  results_url: z.string().default(''),
  results_format: z.enum(RESULT_FORMATS).default('csv'),
  tags: z.string().default(''),
}

export const scheduleForm = { ...ownFields, allow_unpriced: z.string().optional(), ...sourceForm }

/** What the form says, as the API takes it; the input stays the text it is. */
export function scheduleBody(filled: z.output<z.ZodObject<typeof scheduleForm>>) {
  const { name, cron, timezone, pilot_items, concurrency, timeout_seconds, ...others } = filled
  const { input, budget_usd, allow_unpriced, callback_url, tags, ...more } = others
  const { results_url: url, results_format: format, ...rest } = more
  const source = sourceOrder(rest)
  const texts: Record<string, string> = source === null ? { input } : {}
  const fields = {
    ...{ name: name || null, cron, timezone, pilot_items, source },
    ...defined({ concurrency, timeout_seconds }),
    budget_cents: budget_usd,
    allow_unpriced: allow_unpriced !== undefined,
    callback_url: callback_url || null,
    results: url === '' ? null : { url, format },
    tags: tagsOf(tags),
  }
  return { fields, texts }
}
