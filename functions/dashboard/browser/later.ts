// Fetches the slow parts that a page left out, and puts each in its place. Guarantee: where a part cannot be fetched,
// its link stays and the page says so.

import { pageOf, renew } from './live.ts'

export function fetchLater(): void {
  for (const part of document.querySelectorAll('[data-later]')) void follow(part)
}

async function follow(part: Element): Promise<void> {
  part.setAttribute('aria-busy', 'true')
  const made = await madeOf(part).catch(() => null) // the network may be down
  if (made !== null) return renew(part, made)
  part.removeAttribute('aria-busy')
  part.append(' It could not be had now.')
}

/** Returns null where the response is an error page or the sign-in page. */
async function madeOf(part: Element): Promise<HTMLElement | null> {
  const response = await fetch(part.querySelector('a')!.href)
  return pageOf(await response.text()).getElementById(part.id)
}
