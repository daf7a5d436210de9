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

export const nameOfMade = ({ kind, name, how }: Made): string => `${KINDS[kind]} ${name}`.trim() + HOW[how]

/** How much was revoked with it, and what stays, credentials first. */
export const leftBehind = ({ made, revoked_keys, revoked_triggers }: Left) => ({
  revoked: revoked_keys + revoked_triggers,
  credentials: made.filter(one => one.knows_secret),
  others: made.filter(one => !one.knows_secret),
})
