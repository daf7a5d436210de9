// Fetches the parts that a page left out, the slow ones at once and others when they are opened, and puts each in its
// place. Guarantee: where a part cannot be fetched, its link stays and the page says so.

import { pageOf, renew } from './live.ts'

export function fetchLater(): void {
  for (const part of document.querySelectorAll('[data-later]')) void follow(part)
  document.addEventListener('toggle', opened, { capture: true }) // it does not bubble
}

/** Fetches what the opened details hold themselves, not what details within them do. */
function opened({ target }: Event): void {
  if (!(target instanceof HTMLDetailsElement) || !target.open) return
  for (const part of target.querySelectorAll('[data-on-open]:not([aria-busy])'))
    if (part.closest('details') === target) void follow(part)
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
