// Which names of members an answer shows. Guarantee: a key that only reads gets no member's e-mail, by which they sign in:
// such keys are given away, to dashboards and other teams, and list no members. Its answers still distinguish people.

import type { Principal } from './principal.ts'

export const seesMembers = (principal: Principal): boolean =>
  principal.kind === 'session' || principal.role !== 'viewer'

/** Where answers name who did something: by a text, or by an object with a kind. Values of customers are raw JSON. */
const NAMING = new Set(['actor', 'created_by', 'decided_by', 'started_by'])

/** The value as the caller sees it. */
export const shownTo = <T>(principal: Principal | null, value: T): T =>
  principal === null || seesMembers(principal) ? value : (masked(value) as T)

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked)
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      NAMING.has(key) ? maskedName(member) : masked(member),
    ]),
  )
}

/** A key's name, which may look like an e-mail, has a word before it where it is a text. */
function maskedName(by: unknown): unknown {
  if (typeof by === 'string') return maskedEmail(by)
  if (isPlain(by) && by.kind === 'member' && typeof by.name === 'string')
    return { ...by, name: maskedEmail(by.name) }
  return by
}

/** @example maskedEmail('ana@example.com') // 'a…@example.com' */
const maskedEmail = (text: string): string => text.replace(/^([^\s@])[^\s@]*(@[^\s@]+)$/u, '$1…$2')

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
