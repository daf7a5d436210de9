// Sorts the rows on the page by the column whose heading is pressed: largest first, then smallest first. Guarantee: a
// page that refreshes itself keeps the order the user chose.

import { element } from './element.ts'

interface Order {
  column: number
  down: boolean
}

/** The chosen order, by the list's id. */
const chosen = new Map<string, Order>()

const LISTS = 'section[id]:has(th[data-sort])'

export function sortable(within: Document | Element): void {
  const itself = within instanceof HTMLElement && within.matches(LISTS) ? [within] : []
  for (const list of [...itself, ...within.querySelectorAll<HTMLElement>(LISTS)]) {
    const headings = [...list.querySelectorAll<HTMLElement>('thead th')]
    for (const [column, heading] of headings.entries()) {
      // The headings of a nested list are visited twice: with their own list and with the outer one.
      if (heading.dataset.sort === undefined || heading.querySelector('button') !== null) continue
      const button = element('button', { type: 'button', className: 'sort' })
      button.append(...heading.childNodes)
      heading.replaceChildren(button)
      button.addEventListener('click', event => {
        const order = chosen.get(list.id)
        chosen.set(list.id, { column, down: order?.column !== column || !order.down })
        apply(list)
        // live.ts does not refresh a part with the focus; keyboard users keep the focus.
        if (event.detail > 0) button.blur()
      })
    }
    apply(list)
  }
}

function apply(list: HTMLElement): void {
  const order = chosen.get(list.id)
  if (order === undefined) return
  const { column, down } = order
  for (const [at, heading] of list.querySelectorAll('thead th').entries()) {
    if (at === column) heading.setAttribute('aria-sort', down ? 'descending' : 'ascending')
    else heading.removeAttribute('aria-sort')
  }
  const body = list.querySelector('tbody')!
  const figure = (row: HTMLElement) => Number((row.children[column] as HTMLElement).dataset.value)
  const rows = [...(body.children as HTMLCollectionOf<HTMLElement>)]
  body.append(...rows.sort((a, b) => (down ? -1 : 1) * (figure(a) - figure(b))))
}
