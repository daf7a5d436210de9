// Fetches what a page has left out because it takes long, and puts it where it belongs. Guarantee: what cannot be had leaves
// the link that was there, and says so.

import { pageOf, renew } from './live.ts'

export function fetchLater(): void {
  for (const part of document.querySelectorAll('[data-later]')) void follow(part)
}

async function follow(part: Element): Promise<void> {
  part.setAttribute('aria-busy', 'true')
  const made = await madeOf(part).catch(() => null) // the network may be away
  if (made !== null) return renew(part, made)
  part.removeAttribute('aria-busy')
  part.append(' It could not be had now.')
}

/** Null where the answer is an error's page, or the one to sign in. */
async function madeOf(part: Element): Promise<HTMLElement | null> {
  const response = await fetch(part.querySelector('a')!.href)
  return pageOf(await response.text()).getElementById(part.id)
}
