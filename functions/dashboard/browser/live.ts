// Keeps what is marked data-live up to date: the page is fetched anew when an event says so, and its marked parts take
// the place of the old ones. Guarantee: at most one fetch at a time, and none while nobody looks.

import { localTimes } from './times.ts'

const LEAST_MS = 700

export function keepLive({ events, every }: DOMStringMap): void {
  if (events !== undefined) followEvents(events)
  else if (every !== undefined) setInterval(() => document.hidden || refresh(), Number(every) * 1000)
}

function followEvents(url: string): void {
  const source = new EventSource(url)
  source.addEventListener('progress', () => soon())
  source.addEventListener('end', () => {
    source.close()
    soon()
  })
  // The server closes a connection after minutes, and a run that has ended answers nothing: both are tried again by
  // the browser until it is told that there is no more.
  document.addEventListener('visibilitychange', () => document.hidden || soon())
}

let last = 0
let waiting: ReturnType<typeof setTimeout> | undefined

function soon(): void {
  if (document.hidden || waiting !== undefined) return
  const wait_ms = Math.max(0, last + LEAST_MS - Date.now())
  waiting = setTimeout(() => {
    waiting = undefined
    refresh()
  }, wait_ms)
}

let fetching = false

async function refresh(): Promise<void> {
  if (fetching) return
  fetching = true
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!response.ok || response.redirected) return
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
    for (const old of document.querySelectorAll('[data-live][id]')) {
      const made = fresh.getElementById(old.id)
      if (made === null) continue
      keepOpen(old, made)
      localTimes(made)
      // What one is writing in is not taken away.
      if (old.contains(document.activeElement) || made.isEqualNode(old)) continue
      old.replaceWith(document.adoptNode(made))
    }
  } finally {
    fetching = false
    last = Date.now()
  }
}

/** What one has opened stays open. */
function keepOpen(old: Element, made: Element): void {
  for (const { id } of old.querySelectorAll('details[id][open]'))
    made.querySelector(`#${CSS.escape(id)}`)?.setAttribute('open', '')
}
