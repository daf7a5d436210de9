// Keeps the parts marked data-live up to date: an event makes it fetch the page again and replace the marked parts.
// Guarantee: at most one fetch at a time, none while the page is hidden, and after the last event one successful fetch
// that began after it. While the server cannot be reached, the page says so and of when its figures are.

import { away, back, gone, signedOut } from './connection.ts'
import { copyButtons } from './copy.ts'
import { localTimes } from './times.ts'

const LEAST_MS = 700
/** Delay after a failed fetch or a refused stream. */
const RETRY_MS = 5000

export function keepLive({ events, every }: DOMStringMap): void {
  window.addEventListener('offline', away)
  window.addEventListener('online', changed)
  const isLive = events !== undefined || every !== undefined
  // Any page may have been away while it was hidden.
  document.addEventListener('visibilitychange', isLive ? changed : refreshSoon)
  if (events !== undefined) followEvents(events)
  else if (every !== undefined) setInterval(changed, Number(every) * 1000)
}

function followEvents(url: string): void {
  if (isOver) return
  const source = new EventSource(url)
  source.addEventListener('progress', changed)
  source.addEventListener('end', () => {
    source.close()
    changed()
  })
  // The browser reconnects to a stream that ended or was cut. It never reconnects to a refused one (too many are open,
  // or a proxy finds no server), so the page has to.
  source.addEventListener('error', () => {
    changed() // whether the server can be reached
    if (source.readyState === EventSource.CLOSED) setTimeout(followEvents, RETRY_MS, url)
  })
}

/** The page may show an old state. */
let isStale = false
let isFetching = false
/** The user is signed out, or the page no longer exists. */
let isOver = false
let notBefore = 0
let timer: ReturnType<typeof setTimeout> | undefined

function changed(): void {
  isStale = true
  refreshSoon()
}

function refreshSoon(): void {
  if (!isStale || isFetching || isOver || document.hidden || timer !== undefined) return
  timer = setTimeout(
    () => {
      timer = undefined
      void refresh()
    },
    Math.max(0, notBefore - Date.now()),
  )
}

/** Fetches and shows the page. A change during the fetch may be missing from the response, so another fetch follows. */
async function refresh(): Promise<void> {
  isFetching = true
  isStale = false
  const text = await fetchPage()
  isFetching = false
  notBefore = Date.now() + (text === undefined ? RETRY_MS : LEAST_MS)
  if (text === undefined) {
    isStale = true
    if (!isOver) away()
  } else show(pageOf(text))
  refreshSoon()
}

/** Returns undefined when the page could not be fetched. */
async function fetchPage(): Promise<string | undefined> {
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    const mayComeBack = response.status >= 500 || response.status === 429
    isOver = response.redirected || !(response.ok || mayComeBack)
    if (response.redirected && response.url.includes('/dashboard/sign-in')) signedOut()
    else if (isOver) gone()
    return response.ok && !isOver ? await response.text() : undefined
  } catch {
    return // no connection, or a cut one
  }
}

function show(fresh: Document): void {
  back(fresh.body.dataset)
  addNew(fresh)
  for (const old of document.querySelectorAll('[data-live][id]')) {
    const made = fresh.getElementById(old.id)
    if (made === null && !old.contains(document.activeElement)) old.remove()
    if (made === null) continue
    const kept = keepOpen(old, made)
    prepare(made)
    // A part with the focus is kept, since the user may be typing in it.
    if (old.contains(document.activeElement) || made.isEqualNode(old)) continue
    old.replaceWith(document.adoptNode(made))
    for (const [copy, fetched] of kept) copy.replaceWith(fetched)
  }
}

/** Puts in parts that the page did not have, such as the actions of an item that has ended: beside those around them. */
function addNew(fresh: Document): void {
  for (const made of fresh.querySelectorAll('[data-live][id]')) {
    if (document.getElementById(made.id) !== null || made.parentElement?.closest('[data-live]')) continue
    const here = (one: Element | null) =>
      one === null || one.id === '' ? null : document.getElementById(one.id)
    const copy = document.importNode(made, true) as HTMLElement
    prepare(copy)
    for (let one = made.previousElementSibling; one !== null; one = one.previousElementSibling) {
      const before = here(one)
      if (before === null) continue
      before.after(copy)
      break
    }
    if (copy.isConnected) continue
    for (let one = made.nextElementSibling; one !== null && !copy.isConnected; one = one.nextElementSibling)
      here(one)?.before(copy)
  }
}

export const pageOf = (text: string) => new DOMParser().parseFromString(text, 'text/html')

/** Replaces a part of the page by a fetched one. */
export function renew(old: Element, made: HTMLElement): void {
  prepare(made)
  old.replaceWith(document.adoptNode(made))
}

function prepare(made: HTMLElement): void {
  localTimes(made)
  copyButtons(made)
}

/**
 * Keeps open the details that the user has opened, with what was fetched for them. Returns the copies of that, to be
 * replaced by what was fetched itself where the part is shown: a copy has none of its listeners.
 */
function keepOpen(old: Element, made: Element): [copy: Element, fetched: Element][] {
  const kept: [Element, Element][] = []
  for (const part of made.querySelectorAll('[data-on-open]')) {
    const fetched = old.querySelector(`#${CSS.escape(part.id)}:not([data-on-open])`)
    if (fetched === null) continue
    const copy = fetched.cloneNode(true) as Element
    part.replaceWith(copy)
    kept.push([copy, fetched])
  }
  for (const { id } of old.querySelectorAll('details[id][open]'))
    made.querySelector(`#${CSS.escape(id)}`)?.setAttribute('open', '')
  return kept
}
