// What every command works with. The API is connected when a command first asks for it, so that help and usage
// errors need no key.

import type { Api } from './api.ts'
import type { Output } from './output.ts'

export interface Session {
  readonly api: Api
  readonly output: Output
  /** Where relative paths begin. */
  readonly folder: string
  readonly env: Record<string, string | undefined>
  now(): number
}
