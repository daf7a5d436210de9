// The lines that say what outlasts a key that was revoked, or a member who was removed or may do less.

import { type Left, leftBehind, type Made, type Maker, nameOfMade, STAYS, sayRevoked } from '../view/made.ts'
import type { Given } from './arguments.ts'
import { clean } from './format.ts'

export const revokingOf = (given: Given) => ({
  ...(given.flag('revoke-keys') && { revoke_keys: 'true' as const }),
  ...(given.flag('revoke-triggers') && { revoke_triggers: 'true' as const }),
})

export function linesOfMade(left: Left, maker: Maker): string[] {
  const { revoked, credentials, others } = leftBehind(left)
  return [
    ...(revoked > 0 ? [sayRevoked(revoked, maker)] : []),
    ...listed(`${STAYS.credentials}:`, credentials),
    ...listed(`${STAYS.others}:`, others),
  ]
}

const listed = (title: string, rows: readonly Made[]): string[] =>
  rows.length === 0 ? [] : [title, ...rows.map(one => `  ${clean(nameOfMade(one))}  ${one.id}`)]
