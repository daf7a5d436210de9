// Checks a value with whatever schema library the author chose; a problem is told with its path.

import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { AnySchema } from './agent.ts'

const ISSUES_TOLD = 5

/** The value as the schema gives it back, or what is wrong with it and where. */
export async function check(
  schema: AnySchema,
  value: unknown,
  what: string,
): Promise<{ value: unknown; problem?: string }> {
  const pending = schema['~standard'].validate(value)
  const result = pending instanceof Promise ? await pending : pending
  if (!result.issues) return { value: result.value }
  return {
    value,
    problem: result.issues
      .slice(0, ISSUES_TOLD)
      .map(issue => describe(issue, what))
      .join('; '),
  }
}

function describe(issue: StandardSchemaV1.Issue, what: string): string {
  const path = (issue.path ?? []).map(part => String(typeof part === 'object' ? part.key : part))
  return `${[what, ...path].join('.')}: ${issue.message}`
}
