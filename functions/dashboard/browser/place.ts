// Keeps one's place in a list that is decided about row by row. Guarantee: after a decision the row that follows is the one
// that the keyboard is at, and it is on screen.

import { rows, stand } from './keys.ts'

const NAME = 'assay-place'

interface Place {
  /** Of the page. */
  at: string
  row: number
}

const here = () => location.pathname + location.search

export function keepPlace(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-selection]'))
    form.addEventListener('submit', event => {
      const row = rows().findIndex(one => one.contains(event.submitter))
      const place: Place = { at: here(), row }
      if (row !== -1) sessionStorage.setItem(NAME, JSON.stringify(place))
    })
  const kept = sessionStorage.getItem(NAME)
  if (kept === null) return
  const { at, row } = JSON.parse(kept) as Place
  if (at !== here()) return // on a page that asks first
  sessionStorage.removeItem(NAME)
  const all = rows()
  if (all.length > 0) stand(all[Math.min(row, all.length - 1)]!)
}
