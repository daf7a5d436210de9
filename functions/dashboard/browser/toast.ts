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

interface Asked {
  key: string
  /** What would be done; a button that a live refresh puts in place of another does the same. */
  about: string
  toast: HTMLElement
}

let asked: Asked | undefined

export const isAsking = (): boolean => asked?.toast.isConnected === true

/** Whether the key was asked about before, and means yes now. Any other key means no. */
export function isConfirmed(key: string, button: HTMLElement): boolean {
  const isSame = isAsking() && asked!.key === key && asked!.about === aboutOf(button)
  stopAsking()
  if (!isSame) ask(key, button)
  return isSame
}

export function stopAsking(): void {
  asked?.toast.remove()
  asked = undefined
}

/** A notice stays beside the question: it may have the way to undo what was done before. */
function ask(key: string, button: HTMLElement): void {
  const notice = document.querySelector('.toast')
  const toast = notice
    ? element('div', { className: 'question' })
    : element('div', { className: 'notice toast', role: 'status' })
  ;(notice ?? document.querySelector('main')!).append(toast)
  asked = { key, about: aboutOf(button), toast }
  const question = element('p', { textContent: `${wordsOf(button)}? Press ` })
  question.append(
    element('kbd', { textContent: key }),
    ' again, or ',
    element('kbd', { textContent: 'Esc' }),
    ' to leave it.',
  )
  const yes = element('button', { type: 'button', textContent: 'Yes' })
  yes.addEventListener('click', () => {
    const about = asked?.about
    stopAsking()
    buttons(key)
      .find(one => aboutOf(one) === about)
      ?.click()
  })
  setTimeout(() => toast.append(question, yes, closing(toast)), 0) // a change of the region, so it is read out
}

const buttons = (key: string) => [
  ...document.querySelectorAll<HTMLElement>(`[data-key="${CSS.escape(key)}"]:not(:disabled)`),
]

function wordsOf(button: HTMLElement): string {
  const row = button.closest('[data-rows] > *')
  const item = row?.querySelector('a')?.textContent?.trim()
  const cost = Number(row?.querySelector<HTMLElement>('[data-cost]')?.dataset.cost ?? 0)
  const about = cost > 0 ? ` (about ${money(cost)})` : ''
  return `${button.textContent!.trim()}${item ? ` ${item}` : ''}${about}`
}

/** By attributes: a control may be named like a property of its form. */
const aboutOf = (button: HTMLElement): string =>
  JSON.stringify([
    button.closest('form')?.getAttribute('action'),
    button.getAttribute('name'),
    button.getAttribute('value'),
    wordsOf(button),
  ])
