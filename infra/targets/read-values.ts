// Reads the values of an installation. Guarantee: the error names every missing, unknown or wrong value at once, with
// what it is for.

import { parseDocument } from 'yaml'
import type * as z from 'zod'
import { ambiguousName } from './names.ts'
import {
  type ImageValues,
  type KnativeValues,
  SCHEMAS,
  SECRETS,
  type Target,
  type ValuesOf,
} from './values.ts'

const SHOWN = 10 // known values listed for an unknown one

export class ValuesRefused extends Error {}

/**
 * Returns the values in a file's text.
 *
 * @throws ValuesRefused naming each value that is missing, unknown or wrong, and what it is for
 */
export function readValues<T extends Target>(target: T, source: string, name: string): ValuesOf<T> {
  const document = parseDocument(source)
  const [unreadable] = document.errors
  if (unreadable) throw new ValuesRefused(`${name} is no YAML: ${unreadable.message}`)
  const given = document.toJS() ?? {}
  const { data, error } = SCHEMAS[target].safeParse(given)
  const problems = error
    ? error.issues.flatMap(issue => problemsOf(target, given, issue))
    : together(target, data!)
  if (problems.length === 0) return data as ValuesOf<T>
  throw new ValuesRefused(
    [`${name} does not describe an installation on ${target}:`, ...problems].join('\n  '),
  )
}

function problemsOf(target: Target, given: unknown, issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') {
    const here = shapeAt(SCHEMAS[target], issue.path)
    const known = Object.keys(here ?? {})
    const others =
      known.length > SHOWN ? `infra/generated/values.md has all` : `there are ${known.join(', ')}`
    return issue.keys.map(key => `${[...issue.path, key].join('.')} is not known: ${others}`)
  }
  const [name, purpose] = [issue.path.join('.'), purposeOf(target, issue.path)]
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)?.[key], given)
  if (value === undefined || value === null) return [`${name} is missing: ${purpose}`]
  return [`${name}: ${JSON.stringify(value)} is ${faultOf(issue)}. It is ${purpose}`]
}

const faultOf = ({ code, message }: z.core.$ZodIssue) =>
  /^not /.test(message) ? message : `wrong (${code}: ${message})`

/** Problems between several values. */
function together(target: Target, values: ValuesOf<Target>): string[] {
  if (target === 'workerd') return []
  const { installation } = values
  const ambiguous = installation === undefined ? undefined : ambiguousName(installation)
  const { mail_from, pooler, secrets } = values as ImageValues
  const problems: string[] = []
  if (ambiguous !== undefined)
    problems.push(
      `installation: ${installation} would make ${ambiguous}, which another installation may have: take another name`,
    )
  const wanting = (name: keyof typeof SECRETS, beside: string) =>
    `secrets: ${name} is missing beside ${beside}: ${SECRETS[name]}`
  if (pooler && !secrets.includes('DATABASE_MIGRATE_URL'))
    problems.push(wanting('DATABASE_MIGRATE_URL', 'pooler'))
  if (mail_from && !secrets.includes('ASSAY_SMTP_URL')) problems.push(wanting('ASSAY_SMTP_URL', 'mail_from'))
  if (!mail_from && secrets.includes('ASSAY_SMTP_URL'))
    problems.push('mail_from is missing beside the secret ASSAY_SMTP_URL: who mails are from')
  if (
    'prometheus_namespace' in values &&
    values.prometheus_namespace &&
    !secrets.includes('ASSAY_METRICS_TOKEN')
  )
    problems.push(wanting('ASSAY_METRICS_TOKEN', 'prometheus_namespace'))
  if ('edition' in values && values.edition === 'community' && values.packaging === 'endpoint')
    problems.push('packaging: endpoint has more functions than the 15 of edition: community')
  if (
    'keda' in values &&
    values.packaging === 'endpoint' &&
    (values as KnativeValues).ingress.by === 'domain-mapping'
  )
    problems.push(
      'ingress.by: domain-mapping leads to one Service: packaging: endpoint takes gateway, or none',
    )
  return problems
}

interface Described {
  description?: string
  shape?: Record<string, Described>
  unwrap?: () => Described
}

function shapeAt(schema: Described, path: readonly PropertyKey[]): Record<string, Described> | undefined {
  let at: Described | undefined = schema
  for (const key of path) at = bare(at)?.shape?.[String(key)]
  return bare(at)?.shape
}

/** The schema without its optional and default wrappers. */
const bare = (schema: Described | undefined): Described | undefined =>
  schema !== undefined && schema.shape === undefined && schema.unwrap ? bare(schema.unwrap()) : schema

/** The description of the value at the path, or of the nearest parent that has one. */
function purposeOf(target: Target, path: readonly PropertyKey[]): string {
  for (let length = path.length; length > 0; length--) {
    const found = shapeAt(SCHEMAS[target], path.slice(0, length - 1))?.[String(path[length - 1])]
    if (found?.description) return found.description
  }
  return 'the values of an installation'
}

export interface Value {
  name: string
  purpose: string
  /** The default; undefined where the value must be given. */
  otherwise?: string
}

/** Lists every value of a platform, for the table in the docs. */
export function valuesOf(target: Target): Value[] {
  const list = (shape: Record<string, Described>, before: string): Value[] =>
    Object.entries(shape).flatMap(([key, schema]) => {
      const name = before + key
      const { success, data } = (schema as unknown as z.ZodType).safeParse(undefined)
      const otherwise = success ? { otherwise: data === undefined ? 'none' : JSON.stringify(data) } : {}
      const inner = bare(schema)?.shape
      const own: Value = { name, purpose: schema.description!, ...otherwise }
      return [own, ...(inner ? list(inner, `${name}.`) : [])]
    })
  return list(SCHEMAS[target].shape as unknown as Record<string, Described>, '')
}
