// Checks names of time zones. Guarantee: only names of the IANA database pass, spelled as they are there.

import { LIMITS } from '../../kernel/limits.ts'
import { ScheduleError, scheduleProblem } from './cron.ts'

/** The names of the IANA database without a region. Others without one are abbreviations: IST means three zones. */
const WITHOUT_REGION = new Set(
  `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran
  Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore
  Turkey UCT UTC Universal W-SU WET Zulu`.split(/\s+/),
)

/** @throws ScheduleError `invalid_timezone` */
export function checkTimezone(name: string): void {
  if (name === '') throw refused('The timezone is empty.')
  if (name.length > LIMITS.timezone_characters)
    throw refused(`The timezone is longer than ${LIMITS.timezone_characters} characters.`)
  const said = `The timezone ${JSON.stringify(name)}`
  if (/^local(time)?$/i.test(name)) throw refused(`${said} says nothing: a service runs in many places.`)
  if (/^[+-]\d|^(UTC|GMT)[+-]/i.test(name) && !WITHOUT_REGION.has(name))
    throw refused(`${said} is an offset, and zones change theirs.`)
  const known = spelled(name)
  if (known !== undefined && known !== name && known.toLowerCase() === name.toLowerCase())
    throw refused(`${said} is spelled ${known}.`)
  const hasRegion = name.includes('/') && !name.startsWith('SystemV/')
  if (known === undefined || !(hasRegion || WITHOUT_REGION.has(name)))
    throw refused(`${said} is not in the IANA database.`)
}

/** Why a name is not a valid zone; undefined if it is one. */
export const timezoneProblem = (name: string): string | undefined => scheduleProblem(checkTimezone, name)

/** How the platform's copy of the IANA database spells the name; undefined if it does not have it. */
function spelled(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

const refused = (message: string) =>
  new ScheduleError('invalid_timezone', message, 'Give an IANA name such as Europe/Berlin, or UTC.')
