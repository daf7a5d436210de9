// The form for creating and changing a schedule: its fields, their parsing and the request body. Every field that is
// sent has an input here, so that saving the form removes nothing.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { namedText } from '../../../shared/pacing/rules/named-limits.ts'
import { RESULT_FORMATS } from '../../../shared/results/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { jsonText, limitLines } from '../shell/form-values.ts'
import type { Entered } from '../shell/page.ts'
import { among, Choice } from './choice.tsx'
import { Field } from './form.tsx'
import { SourceFields, sourceForm, sourceOrder } from './source-fields.tsx'
import { type StartEntered, StartFields, startAsItIs, startBody, startForm } from './start-fields.tsx'

/** The values of the fields: as typed, or from a schedule. */
export interface ScheduleEntered
  extends StartEntered,
    Partial<Record<keyof typeof ownFields, string | undefined>> {
  source: Parameters<typeof SourceFields>[0]['source']
  /** Whether the fields of a source are unfolded. */
  has_source: boolean
  headers?: string | undefined
  /** Names of fields that hold a guess. */
  guessed?: readonly string[]
}

/** Field values of an existing schedule. */
export const asItIs = (schedule: Schemas['Schedule'], input: string): ScheduleEntered => ({
  name: schedule.name ?? '',
  cron: schedule.cron,
  timezone: schedule.timezone,
  input,
  source: schedule.source,
  has_source: schedule.source !== null,
  ...startAsItIs(schedule),
  results_url: schedule.results?.url,
  results_format: schedule.results?.format,
  limits: schedule.limits?.map(namedText).join('\n'),
})

/** Field values of a form that is shown again, as typed. */
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
      <textarea name="input" dir="auto" spellcheck={false}>
        {entered.input ?? 'null'}
      </textarea>
    </Field>
    <StartFields entered={entered} />
    <ResultsFields url={entered.results_url} format={entered.results_format} />
    <LimitsField value={entered.limits} />
  </>
)

const LimitsField = ({ value }: { value: string | undefined }) => (
  <Field
    label="Limits of providers while its runs work"
    hint="One a line: host, then requests, tokens or in_flight, and the credential if it is for one variable. They stand in place of the project's, for all runs, and may be higher. Owners set them."
  >
    <textarea
      name="limits"
      dir="auto"
      spellcheck={false}
      autocapitalize="none"
      placeholder="api.openai.com credential=OPENAI_API_KEY requests=500/min"
    >
      {value ?? ''}
    </textarea>
  </Field>
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
    <Choice
      name="results_format"
      label="Format of that file"
      options={among(RESULT_FORMATS)}
      chosen={format}
    />
  </>
)

const ownFields = {
  name: z.string().default(''),
  cron: z.string(),
  timezone: z.string(),
  input: jsonText,
  results_url: z.string().default(''),
  results_format: z.enum(RESULT_FORMATS).default('csv'),
  // Optional: a form opened before this field existed does not send it.
  limits: limitLines.optional(),
}

export const scheduleForm = { ...ownFields, ...startForm, ...sourceForm }

/** The form's values as a request body; the input stays text. */
export function scheduleBody(filled: z.output<z.ZodObject<typeof scheduleForm>>) {
  const { name, cron, timezone, input, results_url: url, results_format: format, limits, ...others } = filled
  const source = sourceOrder(others)
  const texts: Record<string, string> = source === null ? { input } : {}
  const fields = {
    name: name || null,
    cron,
    timezone,
    source,
    ...startBody(others),
    results: url === '' ? null : { url, format },
    ...(limits !== undefined && { limits }),
  }
  return { fields, texts }
}
