// Shows what an action did, and asks before a key starts what costs money or cannot be taken back. Guarantee: both are on
// screen wherever the page is scrolled to, are read out, and never take the focus.

import { money } from '../../../shared/prices/rules/amounts.ts'
import { element } from './element.ts'

/** Screen readers read a live region when it changes, so the notice of a loaded page is put in once more. */
const READ_OUT_MS = 100

export function showNotice(): void {
  const notice = document.querySelector<HTMLElement>('.toast')
  const words = notice?.querySelector('p')
  if (!notice || !words) return
  const said = [...words.childNodes]
  words.replaceChildren()
  setTimeout(() => words.append(...said), READ_OUT_MS)
  notice.append(closing(notice))
}

function closing(toast: HTMLElement): HTMLButtonElement {
  const button = element('button', { type: 'button', className: 'plain', textContent: '×' })
  button.setAttribute('aria-label', 'Close')
  button.addEventListener('click', () => toast.remove())
  return button
}

/** Buttons whose key asks first; those of triage say by their value what they start. */
export const ASKS = '[data-asks], [value^=replay], [value^=resume]'

let asked: { key: string; button: HTMLElement; toast: HTMLElement } | undefined

/** Whether the key was asked about before, and means yes now. Any other key means no. */
export function isConfirmed(key: string, button: HTMLElement): boolean {
  const isSame = asked?.key === key && asked.button === button && asked.toast.isConnected
  stopAsking()
  if (!isSame) ask(key, button)
  return isSame
}

export function stopAsking(): void {
  asked?.toast.remove()
  asked = undefined
}

function ask(key: string, button: HTMLElement): void {
  document.querySelector('.toast')?.remove()
  const toast = element('div', { className: 'notice toast', role: 'status' })
  document.querySelector('main')!.append(toast)
  asked = { key, button, toast }
  const row = button.closest('[data-rows] > *')
  const item = row?.querySelector('a')?.textContent?.trim()
  const cost = Number(row?.querySelector<HTMLElement>('[data-cost]')?.dataset.cost ?? 0)
  const about = cost > 0 ? ` (about ${money(cost)})` : ''
  const question = element('p', {
    textContent: `${button.textContent!.trim()}${item ? ` ${item}` : ''}${about}? Press `,
  })
  question.append(
    element('kbd', { textContent: key }),
    ' again, or ',
    element('kbd', { textContent: 'Esc' }),
    ' to leave it.',
  )
  const yes = element('button', { type: 'button', textContent: 'Yes' })
  yes.addEventListener('click', () => button.click())
  setTimeout(() => toast.append(question, yes, closing(toast)), 0) // a change of the region, so it is read out
}
