// Where the items of a start come from, as data. Guarantee: nothing here holds a secret.

import type { SourceFormat } from '../../domain/vocabulary.ts'

/** A URL that is read at each start; the fields name what of a row is its item_id and its partition_key. */
export interface UrlSource {
  url: string
  format: SourceFormat
  item_id: string | null
  partition_key: string | null
  /** Of its headers, whose values are sealed. */
  header_names: string[]
  /** Those values name variables of the deployment's environment: only the deploy that brings both may say so. */
  headers_from_env: boolean
}

export type Source = UrlSource

/** What was wrong with a source, and at which of its lines; null where it is not about one. */
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
