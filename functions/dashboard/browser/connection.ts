// Says when the server cannot be reached, or the user is signed out. Guarantee: meanwhile no age and no figure of the
// page changes, and the page says of when they are.

import { element } from './element.ts'
import { keepChanged } from './form-memory.ts'

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** When the server made the figures that are shown. */
let made_ms = Number(document.body.dataset.now)

export const isAway = (): boolean => document.body.dataset.away !== undefined

export const away = (): void => say(`Reconnecting… These are the figures of ${time.format(made_ms)}.`)

/** The server answers, and has no such page, or not for this user. */
export const gone = (): void =>
  say(`This page is not there any more. These are the figures of ${time.format(made_ms)}.`)

export function signedOut(): void {
  const link = element('a', { href: location.href, textContent: 'Sign in again' })
  link.addEventListener('click', keepChanged)
  say(`You are signed out. These are the figures of ${time.format(made_ms)}. `, link)
}

/** The page was fetched: it has the figures of now. */
export function back({ now }: DOMStringMap): void {
  made_ms = Number(now)
  if (!navigator.onLine) return away() // it was under way when the network went
  document.getElementById('connection')?.replaceChildren()
  delete document.body.dataset.away
}

function say(words: string, ...more: Node[]): void {
  document.body.dataset.away = ''
  const known = document.getElementById('connection')
  if (known?.textContent?.startsWith(words)) return // it is not read out again
  const line = element('p', { textContent: words })
  line.append(...more)
  known?.replaceChildren(line)
}
