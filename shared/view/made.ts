// Says what outlasts a key or a member, and what takes it away. Guarantee: pages and the command line say the same.

import type { Schemas } from '../sdk/client.ts'

export type Left = Pick<Schemas['RemovedMember'], 'made' | 'revoked_keys' | 'revoked_triggers'>
export type Made = Left['made'][number]

const HOW: Record<Made['how'], string> = {
  made: '',
  changed: ', which they changed',
  read: ', which they read',
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
  run: 'open run',
}

const isRevoked = ({ kind, knows_secret }: Made, { revoked_keys, revoked_triggers }: Left): boolean =>
  (kind === 'key' && revoked_keys) || (kind === 'trigger' && knows_secret && revoked_triggers)

export const nameOfMade = ({ kind, name, how }: Made): string => `${KINDS[kind]} ${name}`.trim() + HOW[how]

/** How much was revoked with it, and what stays, credentials first. */
export function leftBehind(left: Left) {
  const stays = left.made.filter(one => !isRevoked(one, left))
  return {
    revoked: left.made.length - stays.length,
    credentials: stays.filter(one => one.knows_secret),
    others: stays.filter(one => !one.knows_secret),
  }
}
