// The jump as a dialog over any page: Ctrl-K or / opens it, arrows choose, Enter goes. Guarantee: what is shown belongs to
// what is typed, however late answers come; without it the link to the page of the jump does the same.

/** After the last key; an answer takes less than a tenth of a second. */
const WAIT_MS = 120

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
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
    event.preventDefault()
    opened()
  })
}

function open(page: string): void {
  if (document.querySelector('dialog#jump')) return
  const dialog = document.createElement('dialog')
  dialog.id = 'jump'
  dialog.setAttribute('aria-label', 'Jump')
  const input = document.createElement('input')
  input.type = 'search'
  input.placeholder = 'An id, an item’s own id, or a part of a name'
  input.setAttribute('aria-label', input.placeholder)
  const found = document.createElement('ul')
  found.className = 'targets'
  dialog.append(input, found)
  document.body.append(dialog)
  dialog.addEventListener('close', () => dialog.remove())
  let timer: ReturnType<typeof setTimeout> | undefined
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void look(page, input, found), WAIT_MS)
  })
  dialog.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') walk(found, event.key === 'ArrowDown' ? 1 : -1)
    else if (event.key === 'Enter') void go(page, input, found)
    else return
    event.preventDefault()
  })
  dialog.showModal()
  input.focus()
}

/** The part of the page that lists what was found. */
async function look(page: string, input: HTMLInputElement, found: HTMLElement): Promise<void> {
  const text = input.value.trim()
  const url = `${page}?${new URLSearchParams({ q: text })}`
  const response = await fetch(url, { headers: { accept: 'text/html' } }).catch(() => undefined)
  if (response?.redirected) return location.assign(page) // signed out
  if (!response?.ok || input.value.trim() !== text) return
  const made = new DOMParser().parseFromString(await response.text(), 'text/html')
  const list = made.getElementById('jump-found')
  if (list === null || input.value.trim() !== text) return
  found.replaceChildren(...document.adoptNode(list).childNodes)
  found.dataset.of = text
  walk(found, 1)
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

/** Enter may come before what was pasted has been looked for. */
async function go(page: string, input: HTMLInputElement, found: HTMLElement): Promise<void> {
  if (found.dataset.of !== input.value.trim()) await look(page, input, found)
  const href = found.querySelector<HTMLElement>(`[${HERE}]`)?.dataset.href
  if (href !== undefined) location.assign(href)
}
