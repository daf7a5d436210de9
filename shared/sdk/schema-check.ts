// Checks a value with the schema library that the author chose; a problem is reported with its path.

import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { AnySchema } from './agent-options.ts'

const ISSUES_PRINTED = 5

/** The value as the schema returns it, or what is wrong with it and where. */
export async function check(
  schema: AnySchema,
  value: unknown,
  what: string,
): Promise<{ value: unknown; problem?: string }> {
  const result = await schema['~standard'].validate(value)
  return result.issues ? { value, problem: problemIn(result.issues, what) } : { value: result.value }
}

/** What is wrong with the value and where; undefined also when the schema checks asynchronously. */
export function checkNow(schema: AnySchema, value: unknown, what: string): string | undefined {
  const result = schema['~standard'].validate(value)
  if (!(result instanceof Promise)) return result.issues && problemIn(result.issues, what)
  result.catch(() => {}) // nobody awaits it
  return undefined
}

function problemIn(issues: readonly StandardSchemaV1.Issue[], what: string): string {
  return issues
    .slice(0, ISSUES_PRINTED)
    .map(issue => describe(issue, what))
    .join('; ')
}

function describe(issue: StandardSchemaV1.Issue, what: string): string {
  const path = (issue.path ?? []).map(part => String(typeof part === 'object' ? part.key : part))
  return `${[what, ...path].join('.')}: ${issue.message}`
}
