// Shows times in the reader's time zone, and keeps ages counting. Guarantee: ages follow the server's clock, however
// wrong the reader's is, and stand still while the server cannot be reached.

import { age } from '../../../shared/view/time.ts'
import { isAway } from './connection.ts'

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

export function localTimes(within: ParentNode): void {
  for (const time of within.querySelectorAll('time[datetime]')) {
    const at = new Date((time as HTMLTimeElement).dateTime)
    ;(time as HTMLElement).title = format.format(at)
    if (time.hasAttribute('data-absolute')) time.textContent = format.format(at)
  }
}

/** `now` is the server's time when it made the page, in ms. */
export function countAges({ now }: DOMStringMap): void {
  if (now === undefined) return
  const ahead_ms = Number(now) - Date.now()
  setInterval(() => {
    if (document.hidden || isAway()) return
    for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-age]')) {
      const words = age(Date.parse(time.dateTime), Date.now() + ahead_ms)
      if (words !== time.textContent) time.textContent = words
    }
  }, 1000)
}
