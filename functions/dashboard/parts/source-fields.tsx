// The part of a form that says where items come from. Guarantee: a form without headers leaves the stored headers
// unchanged.

import type { Child } from 'hono/jsx'
import * as z from 'zod'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { SOURCE_FORMATS } from '../../../shared/sources/vocabulary.ts'
import { among, Choice } from './choice.tsx'
import { Field } from './form.tsx'
import { GUESSED } from './submit-order.ts'

export const sourceForm = {
  source_url: z.string().default(''),
  generator: z.string().default(''),
  format: z.enum(['', ...SOURCE_FORMATS]).default(''),
  item_id: z.string().default(''),
  partition_key: z.string().default(''),
  headers: z
    .string()
    .default('')
    .transform((text, { addIssue }) => {
      const lines = text.split(/\r?\n/).filter(line => line.trim() !== '')
      const pairs = lines.map(line => /^([^:]+):\s*(.*)$/.exec(line.trim()))
      if (pairs.every(pair => pair !== null))
        return Object.fromEntries(pairs.map(([, name, value]) => [name!, value!]))
      addIssue({ code: 'custom', message: 'holds a line that is no "Name: value"' })
      return z.NEVER
    }),
}

type Filled = { [Name in keyof typeof sourceForm]: z.output<(typeof sourceForm)[Name]> }

/**
 * The source as the API takes it; null where neither a URL nor a generator was entered. The API refuses both at once.
 */
export function sourceOrder({ source_url: url, generator, format, headers, ...fields }: Filled) {
  if (url === '' && generator === '') return null
  const given = Object.keys(headers).length > 0
  return {
    ...(url !== '' && { url, ...(format && { format }), ...(given && { headers }) }),
    ...(generator !== '' && { generator }),
    item_id: fields.item_id || null,
    partition_key: fields.partition_key || null,
  }
}

interface Props {
  source: Partial<NonNullable<Schemas['Source']>> | null
  /** Headers as typed, not stored yet. */
  headers?: string | undefined
  open: boolean
  /** Names of fields that hold a guess. */
  guessed?: readonly string[]
  /** Further alternatives to a single item. */
  children?: Child
}

export const SourceFields = ({ source, headers = '', open, guessed = [], children }: Props) => (
  <details open={open}>
    <summary>Many items instead: read from a URL, or made by the agent</summary>
    <div class="stack">
      {children}
      <Field
        label="URL"
        hint="{date} and {scheduled_for} stand for the moment, on the clock of the zone. Each start is one run over all rows, opened when the source has ended well."
      >
        <input
          name="source_url"
          value={source?.url ?? ''}
          placeholder="https://example.com/export?day={date}"
        />
      </Field>
      <Field
        label="Or a generator of the agent"
        hint="The name of a method under @items; it is called at each start, where the agent runs."
      >
        <input name="generator" value={source?.generator ?? ''} placeholder="tickets" />
      </Field>
      <Choice
        name="format"
        label="Format of the URL"
        hint="ndjson: a JSON value a line. csv: names in the first line. json: one array."
        options={{ '': 'as the URL ends, or else ndjson', ...among(SOURCE_FORMATS) }}
        chosen={source?.format ?? undefined}
      />
      <RowFields source={source} guessed={guessed} />
      <Field
        label="Headers"
        hint={
          source?.header_names?.length
            ? `Kept and not shown: ${source.header_names.join(', ')}. What is entered here replaces them.`
            : 'One "Name: value" a line; kept sealed and never shown again.'
        }
      >
        <textarea name="headers" data-secret class="short" spellcheck={false}>
          {headers}
        </textarea>
      </Field>
    </div>
  </details>
)

const ROW_FIELDS = ['item_id', 'partition_key'] as const

const RowFields = ({ source, guessed }: Required<Pick<Props, 'source' | 'guessed'>>) => (
  <>
    {ROW_FIELDS.map(name => (
      <Field label={`Field of a row that is its ${name}`}>
        <input name={name} value={source?.[name] ?? ''} />
        {guessed.includes(name) && <span class="guessed hint">{GUESSED}</span>}
      </Field>
    ))}
  </>
)
