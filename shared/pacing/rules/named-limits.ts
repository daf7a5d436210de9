// Limits with the host that they are for, as declarations and schedules carry them. Guarantee: the text of one is read back as
// the same limits, and what is no limit is refused with the nearest one that is.

import { LIMITS } from '../../kernel/limits.ts'
import { nearest } from '../../kernel/nearest.ts'
import { type DeclaredLimits, limitsText, lowerOf, RATED, rateProblem } from './declared-limits.ts'

export interface NamedLimits extends DeclaredLimits {
  /** A provider's host, or an agent's URL without its query. */
  host: string
  /** The variable of the environment that has the credential; without it, every credential of the host. */
  credential?: string | undefined
}

/** The same without parts that are undefined, as JSON has them. */
export type PlainLimits = { [Part in keyof NamedLimits]: NonNullable<NamedLimits[Part]> }

/** A host is printed, and stands in headers. */
export const HOST = /^[\x21-\x7e]+$/
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

const EXAMPLE = 'api.openai.com requests=500/min'

const PARTS = [...RATED, 'in_flight'] as const

/** What is wrong with a host, and what to write instead. @example hostProblem('https://api.openai.com/v1') */
export function hostProblem(host: string): string | undefined {
  if (host.startsWith('$')) return `is the host itself, such as api.openai.com: ${host} is a variable`
  if (!HOST.test(host) || host.length > LIMITS.upstream_host_characters)
    return `must be 1 to ${LIMITS.upstream_host_characters} visible characters of ASCII, without spaces: write api.openai.com`
  return undefined
}

/** What is wrong with a number of items in flight. */
export function inFlightProblem(value: unknown): string | undefined {
  const most = LIMITS.items_in_flight_per_consumer
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most) return undefined
  const number = Math.round(Number(value))
  const near = Number.isNaN(number) ? 20 : Math.min(most, Math.max(1, number))
  return `must be a whole number from 1 to ${most}: write ${near}`
}

/** What is wrong with limits, and in which field; undefined if nothing is. */
export function limitsProblem(
  limits: Record<string, unknown>,
): { field: string; problem: string } | undefined {
  const { host, credential, in_flight, ...others } = limits
  if (typeof host !== 'string') return { field: 'host', problem: 'must be a host, such as api.openai.com' }
  const ofHost = hostProblem(host)
  if (ofHost !== undefined) return { field: 'host', problem: ofHost }
  if (credential !== undefined && !(typeof credential === 'string' && VARIABLE.test(credential)))
    return {
      field: 'credential',
      problem: 'must be the name of a variable of the environment, such as OPENAI_API_KEY',
    }
  for (const [field, value] of Object.entries(others)) {
    if (!(RATED as readonly string[]).includes(field)) return { field, problem: unknownField(field) }
    const problem = value === undefined ? undefined : rateProblem(String(value))
    if (problem !== undefined) return { field, problem }
  }
  const ofItems = in_flight === undefined ? undefined : inFlightProblem(in_flight)
  if (ofItems !== undefined) return { field: 'in_flight', problem: ofItems }
  if (PARTS.every(part => limits[part] === undefined))
    return { field: 'requests', problem: 'is missing: set at least one of requests, tokens and in_flight' }
  return undefined
}

const FIELDS = ['host', 'credential', ...PARTS]

function unknownField(field: string): string {
  const near = nearest(field.replaceAll('-', '_'), FIELDS, 3)
  return `is no part of a limit${near === undefined ? '' : `: write ${near}`}; there are ${FIELDS.join(', ')}`
}

/** The first of a list that names an upstream again; -1 if none does. */
export const repeatedAt = (list: readonly NamedLimits[]): number =>
  list.findIndex((one, at) => list.findIndex(other => isOfSame(one, other)) !== at)

const isOfSame = (one: NamedLimits, other: NamedLimits) =>
  one.host === other.host && (one.credential ?? '') === (other.credential ?? '')

/** Limits as one line of text. @example namedText({ host: 'api.openai.com', requests: '60/min' }) // 'api.openai.com requests=60/min' */
export const namedText = (limits: NamedLimits): string =>
  [
    limits.host,
    ...(['credential', ...PARTS] as const).flatMap(part =>
      limits[part] === undefined ? [] : [`${part}=${limits[part]}`],
    ),
  ].join(' ')

/**
 * Reads such a line; parts may be written as options, too.
 *
 * @throws Error what is wrong with it, and what to write instead
 * @example namedLimitsOf('api.openai.com credential=OPENAI_API_KEY requests=500/min in_flight=20')
 */
export function namedLimitsOf(line: string): PlainLimits {
  if (line.length > LIMITS.limit_line_characters)
    throw new Error(`a limit has at most ${LIMITS.limit_line_characters} characters, such as ${EXAMPLE}`)
  // By single blanks: a pattern that looks for any number of them takes the square of their number.
  const words = line
    .split(/\s/)
    .filter(word => word !== '')
    .join(' ')
    .replaceAll(/ ?= ?/g, '=')
    .replaceAll(/(^| )--([a-z-]+) /g, '$1$2=')
    .split(' ')
  const [host = '', ...parts] = words
  const limits: Record<string, unknown> = { host }
  for (const part of parts) {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(part) ?? []
    if (name === undefined || value === undefined)
      throw new Error(`"${part}" is no part of a limit: write ${host} requests=500/min`)
    const field = name.replaceAll('-', '_')
    limits[field] = field === 'in_flight' && value !== '' ? Number(value) : value
  }
  const found = limitsProblem(limits)
  if (found !== undefined) throw new Error(`"${found.field}" ${found.problem}`)
  return limits as unknown as PlainLimits
}

/**
 * Reads one such line after another; those without a word are left out.
 *
 * @throws Error what is wrong with the first that is no limit, or that there are too many
 */
export function namedLimitsIn(text: string): PlainLimits[] {
  const limits: PlainLimits[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    if (limits.length === LIMITS.named_limits) throw new Error(`there are at most ${LIMITS.named_limits}`)
    limits.push(namedLimitsOf(line))
  }
  return limits
}

/** The limits of such a line alone. */
export function limitsIn(line: string): DeclaredLimits {
  const { host: _, credential: __, ...limits } = namedLimitsOf(line)
  return limits
}

/** Where a limit that people set was set. */
export interface SetLimit {
  /** Its own, or that of the schedule. */
  id: string
  limits: DeclaredLimits
  /** For every credential of the host if empty. */
  label: string
  of: 'project' | 'schedule'
}

/**
 * What counts for an upstream, part by part: what schedules carry whose runs are at work stands in the place of what the
 * project set. Of several the lower counts.
 */
export function inForce(set: readonly Pick<SetLimit, 'limits' | 'of'>[]): DeclaredLimits {
  const of = (place: SetLimit['of']) =>
    set
      .filter(one => one.of === place)
      .reduce<DeclaredLimits>((lower, { limits }) => lowerOf(lower, limits), {})
  return { ...of('project'), ...of('schedule') }
}

/** How lists of limits differ, in words. @example 'api.openai.com requests: no limit → 60 requests a minute' */
export function namedChanges(before: readonly NamedLimits[], after: readonly NamedLimits[]): string[] {
  const names = [...before, ...after].filter(
    (one, at, all) => all.findIndex(other => isOfSame(one, other)) === at,
  )
  return names.flatMap(name => {
    const [from, to] = [before, after].map(list => list.find(one => isOfSame(one, name)) ?? {})
    const called = name.credential === undefined ? name.host : `${name.host} (${name.credential})`
    return limitChanges(from!, to!).map(change => `${called} ${change}`)
  })
}

/** How limits differ, part by part. @example 'requests: 60 requests a minute → no limit' */
export function limitChanges(before: DeclaredLimits, after: DeclaredLimits): string[] {
  return PARTS.flatMap(part => {
    if (before[part] === after[part]) return []
    const text = (limits: DeclaredLimits) => limitsText({ [part]: limits[part] }) || 'no limit'
    return [`${part}: ${text(before)} → ${text(after)}`]
  })
}
