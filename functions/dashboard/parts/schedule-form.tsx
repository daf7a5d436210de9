// The form of a schedule, which a new one and one that is changed have alike: its fields, how they are read, and what of
// them is sent. A field that is sent has its input here, so that saving a form takes nothing away.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { RESULT_FORMATS } from '../../../shared/results/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { dollars, jsonText } from '../shell/form-values.ts'
import type { Entered } from '../shell/page.ts'
import { Field } from './form.tsx'
import { SourceFields, sourceForm, sourceOrder } from './source-fields.tsx'
import { tagsOf } from './submit-order.ts'

/** What stands in the fields: what was typed, or what a schedule has. */
export interface ScheduleEntered {
  name?: string | undefined
  cron?: string | undefined
  timezone?: string | undefined
  input?: string | undefined
  source: Parameters<typeof SourceFields>[0]['source']
  /** Whether the fields of a source are shown at once. */
  has_source: boolean
  headers?: string | undefined
  /** Names of fields that hold a guess. */
  guessed?: readonly string[]
  budget_usd?: string | undefined
  allow_unpriced: boolean
  pilot_items?: string | undefined
  concurrency?: string | undefined
  callback_url?: string | undefined
  results_url?: string | undefined
  results_format?: string | undefined
  tags?: string | undefined
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
    <PilotField value={entered.pilot_items ?? ''} />
    <ConcurrencyField value={entered.concurrency ?? ''} />
    <CallbackField value={entered.callback_url ?? ''} />
    <ResultsFields url={entered.results_url} format={entered.results_format} />
    <TagsField value={entered.tags ?? ''} />
  </>
)

const PilotField = ({ value }: { value: string | number }) => (
  <Field
    label="Items that go first"
    hint="The others follow when one of these was ok. Leave empty to start all at once."
  >
    <input name="pilot_items" type="number" min="1" value={value} />
  </Field>
)

const ConcurrencyField = ({ value }: { value: string }) => (
  <Field
    label="Items at work at once"
    hint="In each run. Leave empty for no bound but those of the agent and the project."
  >
    <input name="concurrency" type="number" min="1" value={value} />
  </Field>
)

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

export const scheduleForm = {
  name: z.string().default(''),
  cron: z.string(),
  timezone: z.string(),
  input: jsonText,
  budget_usd: dollars,
  pilot_items: z.string().default(''),
  concurrency: z.string().default(''),
  callback_url: z.string().default(''),
  results_url: z.string().default(''),
  results_format: z.enum(RESULT_FORMATS).default('csv'),
  tags: z.string().default(''),
  allow_unpriced: z.string().optional(),
  ...sourceForm,
}

/** What the form says, as the API takes it; the input stays the text it is. */
export function scheduleBody(filled: z.output<z.ZodObject<typeof scheduleForm>>) {
  const {
    budget_usd: budget_cents,
    pilot_items,
    concurrency,
    callback_url,
    input,
    name,
    cron,
    timezone,
    tags,
    ...others
  } = filled
  const { results_url: url, results_format: format, allow_unpriced: allowed, ...rest } = others
  const results = url === '' ? null : { url, format }
  const source = sourceOrder(rest)
  const texts: Record<string, string> = source === null ? { input } : {}
  const money = { budget_cents, allow_unpriced: allowed !== undefined }
  const how = {
    pilot_items: Number(pilot_items) || null,
    concurrency: concurrency === '' ? null : Number(concurrency),
    callback_url: callback_url || null,
    tags: tagsOf(tags),
  }
  return { fields: { name: name || null, cron, timezone, ...money, ...how, source, results }, texts }
}
