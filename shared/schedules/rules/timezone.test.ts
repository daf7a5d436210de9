import { expect, it } from 'vitest'
import { checkTimezone } from './timezone.ts'

it.each(['UTC', 'Europe/Berlin', 'US/Eastern', 'Asia/Kolkata', 'Asia/Calcutta', 'America/Argentina/Ushuaia'])(
  '%s is accepted as a timezone',
  name => expect(() => checkTimezone(name)).not.toThrow(),
)

it.each(['Etc/GMT+5', 'GMT+0', 'EST5EDT', 'CET', 'NZ-CHAT'])('%s, of the IANA database, is accepted', name =>
  expect(() => checkTimezone(name)).not.toThrow(),
)

it.each([
  ['', 'is empty'],
  ['x'.repeat(65), 'is longer than 64 characters'],
  ['Local', 'says nothing'],
  ['localtime', 'says nothing'],
  ['+02:00', 'is an offset'],
  ['UTC+2', 'is an offset'],
  ['GMT-3', 'is an offset'],
  ['europe/berlin', 'is spelled Europe/Berlin'],
  ['utc', 'is spelled UTC'],
  ['Europe/Nowhere', 'is not in the IANA database'],
  ['Europe/Berlin ', 'is not in the IANA database'],
  // The platform knows these, as abbreviations for one of several zones.
  ['IST', 'is not in the IANA database'],
  ['PST', 'is not in the IANA database'],
  ['SystemV/EST5', 'is not in the IANA database'],
])('%s is refused as a timezone', (name, said) => {
  expect(() => checkTimezone(name)).toThrow(
    expect.objectContaining({ code: 'invalid_timezone', message: expect.stringContaining(said) }),
  )
})
