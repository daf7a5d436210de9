// Names an upstream. Guarantee: the same name gives the same id in all processes.

import { createHash } from 'node:crypto'
import { LIMITS } from '../../kernel/limits.ts'
import { MASKED, shownUrl } from '../../kernel/shown-url.ts'
import { type NamedLimits, namedText } from '../../pacing/rules/named-limits.ts'
import type { UpstreamKind } from '../vocabulary.ts'

/** What names an upstream; the fields are the columns of its table. */
export interface UpstreamName {
  project_id: string
  kind: UpstreamKind
  host: string
  key: string
  model: string
  deployment_id: string | null
  /** Whose declaration limits it: then `key` has that limit, and only that agent's items are counted. */
  agent_id?: string | null
}

const ids = new Map<string, string>()
const REMEMBERED = 10_000

export function upstreamId({
  project_id,
  kind,
  host,
  key,
  model,
  deployment_id,
  agent_id,
}: UpstreamName): string {
  const text = JSON.stringify([
    project_id,
    kind,
    host,
    key,
    model,
    deployment_id,
    ...(agent_id ? [agent_id] : []),
  ])
  const known = ids.get(text)
  if (known !== undefined) return known
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  if (ids.size >= REMEMBERED) ids.clear()
  ids.set(text, id)
  return id
}

/** What an agent's own limit is counted by: the same for all its deployments that declare it so. */
export const limitedUpstream = (project_id: string, agent_id: string, limits: NamedLimits): UpstreamName => ({
  project_id,
  kind: kindOf(limits.host),
  host: limits.host,
  key: namedText(limits),
  model: '',
  deployment_id: null,
  agent_id,
})

/** An agent's URL has a path; a provider's host has none. */
export const kindOf = (host: string): UpstreamKind => (host.includes('/') ? 'agent' : 'credential')

const hosts = new Map<string, string>()
/** Behind a name with masked parts: four digits of its hash tell addresses apart, and are too few to guess a part by. */
const DIGITS = 4
const IS_NAME = /\*.*~[0-9a-f]{4}$/

/**
 * An agent's URL as it is shown, stored and logged: without its query, and `*` for each part that may be a secret. A
 * name that was shown is its own.
 */
export function agentHost(url: string): string {
  const known = hosts.get(url)
  if (known !== undefined) return known
  const whole = url.split(/[?#]/, 1)[0]!
  const shown = shownUrl(whole)
  const most = LIMITS.upstream_host_characters
  const name =
    shown === whole || IS_NAME.test(whole)
      ? whole.slice(0, most)
      : `${shown.replaceAll(MASKED, '*').slice(0, most - DIGITS - 1)}~${createHash('sha256').update(whole).digest('hex').slice(0, DIGITS)}`
  if (hosts.size >= REMEMBERED) hosts.clear()
  hosts.set(url, name)
  return name
}

/** The host that somebody means by an agent's URL, or a provider's host. */
export const namedHost = (host: string): string => (kindOf(host) === 'agent' ? agentHost(host) : host)

/** What names an agent that has an address, beside its project. */
export const agentAt = (host: string) => ({
  kind: 'agent' as const,
  host,
  key: '',
  model: '',
  deployment_id: null,
})
