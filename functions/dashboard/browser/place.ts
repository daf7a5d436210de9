// Keeps the user's place in a list whose rows are decided one by one. Guarantee: after a decision the following row is
// the current row of the keyboard and is on screen.

import { rows, stand } from './keys.ts'

const NAME = 'assay-place'

interface Place {
  /** Path and query of the page. */
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
  if (at !== here()) return // on the page that asks for confirmation
  sessionStorage.removeItem(NAME)
  const all = rows()
  if (all.length > 0) stand(all[Math.min(row, all.length - 1)]!)
}
