// Shows what an action did, and asks before a key or a tap starts what costs money or cannot be taken back. Guarantee: both
// are on screen wherever the page is scrolled to, are read out, and never take the focus.

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

/**
 * Buttons that ask first; those of triage say by their value what they start. On a page that itself asks, a tap is the
 * answer, but a key may have been meant for the page before.
 */
export const ASKS = '[data-asks], [value^=replay], [value^=resume]'

interface Asked {
  /** Undefined where the button itself was pressed. */
  key: string | undefined
  /** What would be done; a button that a live refresh puts in place of another does the same. */
  about: string
  toast: HTMLElement
}

let asked: Asked | undefined

export const isAsking = (): boolean => asked?.toast.isConnected === true

/** The button that was asked about and is let through. */
let confirmed: HTMLElement | undefined

/** Lets no press of a button that asks through before its question is answered. */
export function askFirst(): void {
  document.addEventListener(
    'click',
    event => {
      const button = event.target instanceof Element ? event.target.closest<HTMLElement>(ASKS) : null
      if (button === null || button === confirmed || button.dataset.asks === 'key') return
      event.preventDefault()
      event.stopPropagation()
      stopAsking()
      ask(undefined, button)
    },
    { capture: true },
  )
}

/** A key that was asked about means yes when it comes again; any other key means no. A second tap may be a slip. */
export function pressAsking(key: string, button: HTMLElement): void {
  const isSame = isAsking() && asked!.key === key && asked!.about === aboutOf(button)
  stopAsking()
  if (isSame) confirm(button)
  else ask(key, button)
}

function confirm(button: HTMLElement): void {
  confirmed = button
  button.click()
  confirmed = undefined
}

export function stopAsking(): void {
  asked?.toast.remove()
  asked = undefined
}

/** A notice stays beside the question: it may have the way to undo what was done before. */
function ask(key: string | undefined, button: HTMLElement): void {
  const notice = document.querySelector('.toast')
  const toast = notice
    ? element('div', { className: 'question' })
    : element('div', { className: 'notice toast', role: 'status' })
  ;(notice ?? document.querySelector('main')!).append(toast)
  asked = { key, about: aboutOf(button), toast }
  const question = element('p', { textContent: `${wordsOf(button)}?` })
  if (key !== undefined)
    question.append(
      ' Press ',
      element('kbd', { textContent: key }),
      ' again, or ',
      element('kbd', { textContent: 'Esc' }),
      ' to leave it.',
    )
  const yes = element('button', { type: 'button', textContent: 'Yes' })
  yes.addEventListener('click', () => {
    const about = asked?.about
    stopAsking()
    const same = [...document.querySelectorAll<HTMLElement>(ASKS)].find(one => aboutOf(one) === about)
    if (same !== undefined) confirm(same)
  })
  setTimeout(() => toast.append(question, yes, closing(toast)), 0) // a change of the region, so it is read out
}

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
