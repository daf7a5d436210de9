// Says what outlasts a key or a member, and what takes it away. Guarantee: pages and the command line say the same.

import { counted } from '../prices/rules/amounts.ts'
import type { Schemas } from '../sdk/client.ts'

export type Left = Pick<Schemas['RemovedMember'], 'made' | 'revoked_keys' | 'revoked_triggers'>
export type Made = Left['made'][number]

const HOW: Record<Made['how'], string> = {
  made: '',
  changed: ' (changed)',
  read: ' (read)',
}

const KINDS: Record<Made['kind'], string> = {
  key: 'key',
  trigger: 'trigger',
  signing_secret: 'signing secret of',
  member: 'member',
  deployment: 'current deployment',
  schedule: 'schedule',
  alert_channel: 'alert channel',
  agent: 'configuration of',
  recovery: 'open recovery',
  run: 'open run',
}

export const nameOfMade = ({ kind, name, how }: Made): string => `${KINDS[kind]} ${name}`.trim() + HOW[how]

/** Whose end or lesser role it is. */
export type Maker = 'key' | 'member'

const BY: Record<Maker, string> = { key: 'with that key', member: 'by that member' }

/** @example sayRevoked(1, 'key') // '1 credential made with that key is revoked too' */
export const sayRevoked = (revoked: number, maker: Maker): string =>
  `${counted(revoked, 'credential')} made ${BY[maker]} ${revoked === 1 ? 'is' : 'are'} revoked too`

/** The titles of what stays. */
export const STAYS = {
  credentials: 'credentials that stay good until you revoke them',
  others: 'what stays until it is changed or deleted',
}

/** How much was revoked with it, and what stays, credentials first. */
export const leftBehind = ({ made, revoked_keys, revoked_triggers }: Left) => ({
  revoked: revoked_keys + revoked_triggers,
  credentials: made.filter(one => one.knows_secret),
  others: made.filter(one => !one.knows_secret),
})
