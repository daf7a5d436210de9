// Keyboard shortcuts: j and k walk the rows, Enter opens one, x selects it, g and a letter go to a page, a letter on a
// button presses it, ? lists them all. Guarantee: none of these keys does anything while the user types, or together
// with Ctrl, Alt or Meta (jump.ts has the one shortcut with a modifier); none starts what costs money, or cannot be
// taken back, without asking; a key that is held down presses once.

import { closeButton, showDialog } from './dialog.ts'
import { element } from './element.ts'
import { ASKS, isAsking, pressAsking, stopAsking } from './toast.ts'

const WRITING = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'

let going = false

export function followKeys(): void {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return
    if ((event.target as Element).closest(WRITING)) return
    if (event.repeat && !WALKING.has(event.key)) return
    if (pressed(event.key)) event.preventDefault()
  })
}

/** Keys that go on while they are held. */
const WALKING = new Set(['j', 'k'])

function pressed(key: string): boolean {
  if (going) {
    going = false
    return click(`[data-go="${CSS.escape(key)}"]`)
  }
  if (key === 'g') {
    going = true
    return true
  }
  if (key === '?') return help()
  if (key === '/') return click('[data-jump]')
  if (key === 'j' || key === 'k') stopAsking()
  if (key === 'j' || key === 'k') return walk(key === 'j' ? 1 : -1)
  if (key === 'Enter') return open()
  if (key === 'x') return select()
  if (key === 'Escape') return close()
  return key.length === 1 && press(key)
}

/** Presses the button of a key; one that asks takes the key twice. */
function press(key: string): boolean {
  const found = match(`[data-key="${CSS.escape(key)}"]:not(:disabled)`)
  if (found?.matches(ASKS)) pressAsking(key, found)
  else {
    stopAsking()
    found?.click()
  }
  return Boolean(found)
}

/** Closes the question; where none is asked, the notice. */
function close(): boolean {
  if (isAsking()) stopAsking()
  else document.querySelector('.toast')?.remove()
  return false
}

/** The rows that j and k walk; on a page with a selection form, only the rows in it. */
export const rows = () => [
  ...(document.querySelector('[data-selection]') ?? document).querySelectorAll<HTMLElement>(
    '[data-rows] > *',
  ),
]
const here = () => document.querySelector<HTMLElement>('[data-rows] > [data-here]')

function walk(by: number): boolean {
  const all = rows()
  if (all.length === 0) return false
  const row = here()
  const at = row === null ? (by > 0 ? 0 : all.length - 1) : all.indexOf(row) + by
  stand(all[Math.min(Math.max(at, 0), all.length - 1)]!)
  return true
}

/** Makes this row the current row of the keyboard. */
export function stand(row: HTMLElement): void {
  here()?.removeAttribute('data-here')
  row.setAttribute('data-here', '')
  row.scrollIntoView({ block: 'nearest' })
  row.querySelector<HTMLElement>('summary, a, input, button')?.focus({ preventScroll: true })
}

/** Opens the current row, unless a link or a button has the focus: then Enter activates that. */
function open(): boolean {
  const href = here()?.querySelector('a')?.href
  if (href === undefined || document.activeElement?.matches('a, button, summary')) return false
  location.assign(href)
  return true
}

function select(): boolean {
  const box = here()?.querySelector<HTMLInputElement>('input[type=checkbox]')
  box?.click()
  return Boolean(box)
}

/** A match in the current row first, else one outside any table row; never one in another row. */
const match = (selector: string): HTMLElement | undefined =>
  here()?.querySelector<HTMLElement>(selector) ??
  [...document.querySelectorAll<HTMLElement>(selector)].find(one => one.closest('tr') === null)

function click(selector: string): boolean {
  const found = match(selector)
  found?.click()
  return Boolean(found)
}

function help(): boolean {
  const known = document.querySelector('dialog#keys')
  if (known) {
    known.remove()
    return true
  }
  const dialog = element('dialog', { id: 'keys' })
  const lines: [string, string][] = [
    ['j k', 'Walk the rows'],
    ['Enter', 'Open the row'],
    ['x', 'Select the row'],
    ...keysOf('[data-key]', one => one.dataset.key!),
    ...keysOf('[data-go]', one => `g ${one.dataset.go}`),
    ...(document.querySelector('[data-jump]') === null ? [] : [['/ or Ctrl K', 'Jump'] as [string, string]]),
    ...(document.querySelector(ASKS) === null
      ? []
      : [['the same key', 'Yes, where one asks'] as [string, string]]),
    ['Esc', 'Leave a question, close a notice'],
    ['?', 'Show or hide this list'],
  ]
  const list = element('dl', { className: 'keys' })
  for (const [key, label] of lines) {
    const term = element('dt')
    term.append(element('kbd', { textContent: key }))
    list.append(term, element('dd', { textContent: label }))
  }
  const head = element('div', { className: 'dialog-head' })
  head.append(element('h2', { textContent: 'Keys' }), closeButton(dialog))
  dialog.append(head, list)
  showDialog(dialog)
  return true
}

function keysOf(selector: string, key: (one: HTMLElement) => string): [string, string][] {
  const all = [...document.querySelectorAll<HTMLElement>(selector)]
  const lines = all.map(one => [key(one), one.textContent?.trim() ?? ''] as [string, string])
  return [...new Map(lines)]
}
