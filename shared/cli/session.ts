// The session that every command gets. The API is connected on first use, so that help and usage errors need no key.

import type { Api } from './api.ts'
import type { Output } from './output.ts'
import type { Retrying } from './retrying.ts'

export interface Session {
  readonly api: Api
  readonly output: Output
  /** Repeats requests while the server is away. */
  readonly retrying: Retrying
  /** What was typed after `assay`. */
  readonly words: readonly string[]
  /** The folder that relative paths start from. */
  readonly folder: string
  readonly env: Record<string, string | undefined>
  now(): number
}
