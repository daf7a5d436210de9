// Shows the first rows of a file, and offers their fields. Guarantee: only the head of the file is read, and its
// content is shown as text.

import { shortened } from '../../../shared/kernel/text-head.ts'
import {
  type FirstRows,
  firstRowsOf,
  guessFields,
  type Row,
} from '../../../shared/submission/rules/first-rows.ts'
import type { Fields } from '../../../shared/submission/rules/rows.ts'
import { guessInput, misfitOf, type Wanted } from '../../../shared/submission/rules/wanted-fields.ts'
import { GUESSED } from '../parts/submit-order.ts'
import { element } from './element.ts'
import { chunksOf } from './submit-file.ts'
import { unpack } from './unpack.ts'

const ROWS_SHOWN = 5
const FIELDS_SHOWN = 8
const FIELDS_OFFERED = 200
const CELL_CHARACTERS = 80

/** Shows the file's first rows; without a file, clears the preview. */
export async function preview(file: File | undefined, form: HTMLFormElement): Promise<void> {
  looked = { rows: [], fields: [] }
  if (file === undefined) {
    form.querySelector('#preview')?.replaceChildren()
    return fit(form)
  }
  const first = await firstRowsOf(file.name, chunksOf(file), unpack)
  const fields = [...new Set(first.rows.flatMap(row => [...row.keys()]))].filter(name => name !== '')
  form.querySelector('#preview')?.replaceChildren(...shown(file, first, fields))
  const guesses = guessFields(first.rows)
  for (const control of form.querySelectorAll<HTMLInputElement>('[data-none]'))
    offer(control, fields, guesses[control.name as keyof Fields])
  looked = { rows: first.rows, fields }
  await fit(form)
}

/** The first rows of the file, kept for when another agent or another input is chosen. */
let looked: { rows: readonly Row[]; fields: readonly string[] } = { rows: [], fields: [] }

/** Reports the fields that the agent requires and the rows lack; offers a field that fits as the whole input. */
export async function fit(form: HTMLFormElement): Promise<void> {
  const chosen = (name: string) => String(new FormData(form).get(name) ?? '')
  const { rows, fields } = looked
  const agent = chosen('agent')
  const wanted = rows.length === 0 ? null : await wantedBy(form.action, agent)
  if (chosen('agent') !== agent) return // the agent was changed again: another response follows
  const place = form.querySelector('#misfit')
  const control = form.querySelector<HTMLInputElement>('[data-none][name=input]')
  // A guess for another agent does not hold for this one.
  const isOpen = chosen('input') === '' || control?.closest('label')?.querySelector('.guessed')
  if (control && rows.length > 0 && isOpen) {
    const guess = wanted && guessInput(rows, wanted, [chosen('item_id'), chosen('partition_key')])
    offer(control, fields, guess ?? undefined)
  }
  const misfit = wanted && misfitOf(agent, wanted, rows, chosen('input'))
  if (place) place.textContent = misfit ? `${misfit.said} ${misfit.fix}` : ''
}

async function wantedBy(action: string, agent: string): Promise<Wanted | null> {
  const response = await fetch(`${action}/wanted?${new URLSearchParams({ agent })}`).catch(() => undefined)
  return response?.ok ? response.json() : null
}

function shown(file: File, { rows, problems }: FirstRows, fields: readonly string[]): Element[] {
  const size =
    file.size < 1_000_000 ? `${Math.ceil(file.size / 1000)} KB` : `${Math.round(file.size / 1e6)} MB`
  const title = element('h2', { textContent: `${file.name}, ${size}` })
  const wrong = problems.map(problem => element('p', { textContent: problem, className: 'v-failed' }))
  if (rows.length === 0 && wrong.length === 0)
    return [title, dim('Its first row is too long to be shown here, or there is none.')]
  if (rows.length === 0) return [title, ...wrong]
  const columns = fields.length > 0 ? fields.slice(0, FIELDS_SHOWN) : ['']
  const section = element('section', { className: 'scroll', tabIndex: 0 })
  section.setAttribute('aria-label', 'First rows')
  section.append(tableOf(columns, rows))
  const more = fields.length - columns.length
  return [title, ...wrong, section, ...(more > 0 ? [dim(`and ${more} more fields`)] : [])]
}

const dim = (text: string) => element('p', { textContent: text, className: 'dim' })

function tableOf(columns: readonly string[], rows: readonly Row[]): Element {
  const table = element('table')
  const head = element('tr')
  head.append(...columns.map(name => element('th', { textContent: name || 'row', scope: 'col' })))
  table.append(element('thead'), element('tbody'))
  table.firstElementChild!.append(head)
  for (const row of rows.slice(0, ROWS_SHOWN)) {
    const line = element('tr')
    line.append(...columns.map(name => cellOf(name, row.get(name) ?? '')))
    table.lastElementChild!.append(line)
  }
  return table
}

function cellOf(name: string, json: string): HTMLElement {
  const text: string = json.startsWith('"') ? JSON.parse(json) : json
  const cell = element('td', { textContent: shortened(text, CELL_CHARACTERS), dir: 'auto' })
  cell.dataset.label = name
  return cell
}

/** Replaces the text control by a choice among the fields; an earlier choice stays, where that field exists. */
function offer(control: HTMLInputElement, fields: readonly string[], guess: string | undefined): void {
  const select = element('select', { name: control.name })
  select.dataset.none = control.dataset.none!
  const options = fields.slice(0, FIELDS_OFFERED)
  select.append(new Option(select.dataset.none, ''), ...options.map(field => new Option(field, field)))
  const said = control.closest('label')?.querySelector('.guessed')
  const isChosen = said === null && options.includes(control.value)
  select.value = isChosen ? control.value : (guess ?? '')
  said?.remove()
  if (!isChosen && guess !== undefined) {
    const note = element('span', { textContent: GUESSED, className: 'guessed hint' })
    select.addEventListener('change', () => note.remove())
    control.closest('label')?.append(note)
  }
  control.replaceWith(select)
}
