// Fetches what a page has left out because it takes long, and puts it where it belongs. Guarantee: what cannot be had leaves
// the link that was there.

import { pageOf, renew } from './live.ts'

export function fetchLater(): void {
  for (const part of document.querySelectorAll('[data-later]')) follow(part).catch(() => {})
}

async function follow(part: Element): Promise<void> {
  part.setAttribute('aria-busy', 'true')
  const response = await fetch(part.querySelector('a')!.href)
  // Neither an error's page nor the one to sign in has it.
  const made = pageOf(await response.text()).getElementById(part.id)
  if (made !== null) return renew(part, made)
  part.removeAttribute('aria-busy')
  part.append(' It could not be had now.')
}
