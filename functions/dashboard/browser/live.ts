// Keeps what is marked data-live up to date: the page is fetched anew when an event says so, and its marked parts take
// the place of the old ones. Guarantee: at most one fetch at a time, none while nobody looks, and after the last event
// one that began after it and was answered.

import { copyButtons } from './copy.ts'
import { sortable } from './sort.ts'
import { localTimes } from './times.ts'

const LEAST_MS = 700
/** After an answer that failed, or a stream that was refused. */
const RETRY_MS = 5000

export function keepLive({ events, every }: DOMStringMap): void {
  if (events !== undefined) followEvents(events)
  else if (every !== undefined) setInterval(changed, Number(every) * 1000)
  else return
  document.addEventListener('visibilitychange', changed)
}

function followEvents(url: string): void {
  if (isOver) return
  const source = new EventSource(url)
  source.addEventListener('progress', changed)
  source.addEventListener('end', () => {
    source.close()
    changed()
  })
  // The browser comes back to a stream that ended or was cut. To one that was refused (too many are open, a proxy finds
  // nobody behind it) it never does, so the page has to.
  source.addEventListener('error', () => {
    if (source.readyState !== EventSource.CLOSED) return
    changed()
    setTimeout(followEvents, RETRY_MS, url)
  })
}

/** What the page shows may be older than what is. */
let isStale = false
let isFetching = false
/** One is signed out, or what the page shows is gone. */
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

/** What changes while this fetches may have come too late for it, so it is followed by another. */
async function refresh(): Promise<void> {
  isFetching = true
  isStale = false
  const text = await fetchPage()
  isFetching = false
  notBefore = Date.now() + (text === undefined ? RETRY_MS : LEAST_MS)
  if (text === undefined) isStale = true
  else show(pageOf(text))
  refreshSoon()
}

/** Nothing, when it could not be had. */
async function fetchPage(): Promise<string | undefined> {
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    const mayComeBack = response.status >= 500 || response.status === 429
    isOver = response.redirected || !(response.ok || mayComeBack)
    return response.ok && !isOver ? await response.text() : undefined
  } catch {
    return // no connection, or one that was cut
  }
}

function show(fresh: Document): void {
  for (const old of document.querySelectorAll('[data-live][id]')) {
    const made = fresh.getElementById(old.id)
    if (made === null) continue
    keepOpen(old, made)
    prepare(made)
    // What one is writing in is not taken away.
    if (old.contains(document.activeElement) || made.isEqualNode(old)) continue
    old.replaceWith(document.adoptNode(made))
  }
}

export const pageOf = (text: string) => new DOMParser().parseFromString(text, 'text/html')

/** Puts a part of a page that was fetched in the place of another. */
export function renew(old: Element, made: HTMLElement): void {
  prepare(made)
  old.replaceWith(document.adoptNode(made))
}

function prepare(made: HTMLElement): void {
  localTimes(made)
  copyButtons(made)
  sortable(made)
}

/** What one has opened stays open. */
function keepOpen(old: Element, made: Element): void {
  for (const { id } of old.querySelectorAll('details[id][open]'))
    made.querySelector(`#${CSS.escape(id)}`)?.setAttribute('open', '')
}
