// Shows the jump as a dialog over any page: Ctrl-K or / opens it, arrows choose, Enter goes. Guarantee: the results
// belong to the text typed, however late responses arrive; without the script, the link to the jump page does the same.

import { closeButton, showDialog } from './dialog.ts'
import { element } from './element.ts'

/** Delay after the last key, so that text typed in one go is searched once. */
const WAIT_MS = 200

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

export function followJump(): void {
  const link = document.querySelector<HTMLAnchorElement>('a[data-jump]')
  if (link === null) return
  const opened = () => open(link.href)
  link.addEventListener('click', event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    opened()
  })
  document.addEventListener('keydown', event => {
    if (event.key !== 'k' || event.altKey || event.shiftKey) return
    // On a Mac, Ctrl-K deletes to the end of a line.
    if (!(isMac ? event.metaKey : event.ctrlKey)) return
    event.preventDefault()
    opened()
  })
}

function open(page: string): void {
  if (document.querySelector('dialog#jump')) return
  const dialog = element('dialog', { id: 'jump' })
  dialog.setAttribute('aria-label', 'Jump')
  const input = element('input', {
    type: 'search',
    placeholder: 'An id, an item’s own id, or a part of a name',
  })
  input.setAttribute('aria-label', input.placeholder)
  const found = element('ul', { className: 'targets' })
  const head = element('div', { className: 'dialog-head' })
  head.append(input, closeButton(dialog))
  dialog.append(head, found)
  let timer: ReturnType<typeof setTimeout> | undefined
  input.addEventListener('input', () => {
    delete found.dataset.of
    clearTimeout(timer)
    timer = setTimeout(() => void look(page, input, found), WAIT_MS)
  })
  dialog.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') walk(found, event.key === 'ArrowDown' ? 1 : -1)
    else if (event.key === 'Enter' && event.target === input && !event.isComposing) {
      clearTimeout(timer) // its search would abort the one that Enter starts
      void go(page, input, found)
    } else return
    event.preventDefault()
  })
  showDialog(dialog)
  input.focus()
}

let asked: AbortController | undefined

/** Fetches the jump page and shows its list of results, unless other text was typed meanwhile. */
async function look(page: string, input: HTMLInputElement, found: HTMLElement): Promise<void> {
  const text = input.value.trim()
  asked?.abort()
  asked = new AbortController()
  const { signal } = asked
  const url = `${page}?${new URLSearchParams({ q: text })}`
  try {
    const response = await fetch(url, { headers: { accept: 'text/html' }, signal })
    if (response.redirected) return location.assign(page) // signed out
    const made = new DOMParser().parseFromString(await response.text(), 'text/html')
    const list = made.getElementById('jump-found')
    if (!response.ok || list === null) throw new Error(`the server answered ${response.status}`)
    found.replaceChildren(...document.adoptNode(list).childNodes)
    found.dataset.of = text
    walk(found, 1)
  } catch (error) {
    if (signal.aborted) return
    found.textContent = `Could not look: ${(error as Error).message}. Type again.`
  }
}

const HERE = 'data-here'

function walk(found: HTMLElement, by: number): void {
  const all = [...found.querySelectorAll<HTMLElement>('[data-href]')]
  if (all.length === 0) return
  const at = all.findIndex(one => one.hasAttribute(HERE))
  all[at]?.removeAttribute(HERE)
  const next = all[(at + by + all.length) % all.length]!
  next.setAttribute(HERE, '')
  next.scrollIntoView({ block: 'nearest' })
}

/** Opens the chosen result. The user may press Enter before pasted text has been searched, so it is searched first. */
async function go(page: string, input: HTMLInputElement, found: HTMLElement): Promise<void> {
  if (found.dataset.of !== input.value.trim()) await look(page, input, found)
  if (found.dataset.of !== input.value.trim()) return
  const href = found.querySelector<HTMLElement>(`[${HERE}]`)?.dataset.href
  if (href !== undefined) location.assign(href)
}
