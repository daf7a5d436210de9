// The version of an agent's code, which its answers name. Guarantee: it fits in a header, whatever was given.

import { LIMITS } from '../kernel/limits.ts'
import type { HostEnvironment } from './caller-check.ts'

/** Of the option, else of the variable ASSAY_VERSION; undefined if neither says one. */
export function ownVersion(given: string | undefined, env: HostEnvironment): string | undefined {
  const { process } = globalThis as { process?: { env?: HostEnvironment } }
  const said = given ?? env?.ASSAY_VERSION ?? process?.env?.ASSAY_VERSION
  if (typeof said !== 'string') return undefined
  const plain = said.trim().replace(/[^\x20-\x7e]/g, '?')
  return plain.slice(0, LIMITS.code_version_characters) || undefined
}
