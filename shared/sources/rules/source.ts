// Where the items of a start come from, as data. Guarantee: nothing here holds a secret.

import type { Fields } from '../../submission/rules/rows.ts'
import { SOURCE_FORMATS, type SourceFormat } from '../vocabulary.ts'

/** The names of the row fields that are its item_id and its partition_key. */
interface RowFields {
  item_id: string | null
  partition_key: string | null
}

/** The format that the URL's path ends with, such as `.csv` or `.csv.gz`; undefined if it ends with none. */
export function formatOf(url: string): SourceFormat | undefined {
  const [path = ''] = url.split(/[?#]/)
  const named = path.replace(/\.(gz|zst)$/, '')
  if (named.endsWith('.tsv')) return 'csv'
  return SOURCE_FORMATS.find(format => named.endsWith(`.${format}`))
}

/**
 * A header without a value, or whose credentials are a scheme alone: what a variable that is not set leaves of
 * `Bearer $TOKEN`.
 */
export const isEmptyHeader = (name: string, value: string): boolean =>
  value.trim() === '' ||
  (/^(proxy-)?authorization$/i.test(name) && /^(basic|bearer|digest|token)$/i.test(value.trim()))

/** A URL that is read at each start. */
export interface UrlSource extends RowFields {
  url: string
  format: SourceFormat
  /** The format was not given, and the URL's path does not say it. */
  format_guessed?: boolean
  /** The names of its headers; the values are sealed. */
  header_names: string[]
  /** The values name variables of the deployment's environment. Only a deploy, which brings both, may set this. */
  headers_from_env: boolean
}

/** A generator in the agent's code, run where the agent runs. */
export interface GeneratorSource extends RowFields {
  generator: string
}

export type Source = UrlSource | GeneratorSource

/** The body POSTed to a trigger: a JSON array, or one JSON value per line. */
export interface BodySource extends RowFields {
  body: true
}

export type TriggerSource = Source | BodySource

export const isBody = (source: TriggerSource | null): source is BodySource =>
  source !== null && 'body' in source

export const fieldsOf = ({ item_id, partition_key }: RowFields): Fields => ({
  item_id: item_id ?? undefined,
  partition_key: partition_key ?? undefined,
})

export const isGenerator = (source: Source): source is GeneratorSource => 'generator' in source

export const noGenerator = (name: string, known: readonly string[]): string =>
  `The agent's current version has no generator "${name}": ${known.length > 0 ? `there are ${known.join(', ')}` : 'it has none'}.`

/** What was wrong with a source, and at which of its lines; null if it is not about a line. */
export interface SourceProblem {
  line: number | null
  text: string
}

/** A source that cannot be read to its end; nothing of it was accepted. */
export class SourceError extends Error {
  readonly line: number | null

  constructor(message: string, line: number | null = null) {
    super(message)
    this.name = 'SourceError'
    this.line = line
  }
}
