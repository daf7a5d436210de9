// Shows the first rows of a file, and offers their fields. Guarantee: only the head of the file is read, and whatever
// stands in it is shown as text.

import { BadLines, itemLines } from '../../../shared/items/rules/file-items.ts'
import { fieldsOf } from '../../../shared/kernel/json.ts'

const HEAD_BYTES = 64 * 1024
/** Of the head at once, so that what is broken further down hides nothing. */
const CHUNK_BYTES = 2048
const ROWS_SHOWN = 5
const FIELDS_SHOWN = 8
const FIELDS_OFFERED = 200
const CELL_CHARACTERS = 80

/** Names of fields that say what they are for. */
const GUESSES: Record<string, readonly string[]> = {
  item_id: ['item_id', 'id'],
  partition_key: ['partition_key'],
}

interface Head {
  rows: Map<string, string>[]
  fields: string[]
  problems: readonly string[]
}

export async function preview(file: File, form: HTMLFormElement): Promise<void> {
  const head = await headOf(file)
  const place = form.querySelector('#preview')
  place?.replaceChildren(...shown(file, head))
  for (const control of form.querySelectorAll<HTMLElement>('[data-none]')) offer(control, head.fields)
}

async function headOf(file: File): Promise<Head> {
  const rows: Head['rows'] = []
  let problems: readonly string[] = []
  try {
    for await (const piece of itemLines(file.name, headChunks(file), {})) {
      const lines = new TextDecoder().decode(piece).split('\n').filter(Boolean)
      rows.push(...lines.map(line => rowOf(fieldsOf(line).get('input')!)))
      if (rows.length >= ROWS_SHOWN) break
    }
  } catch (error) {
    if (!(error instanceof BadLines)) throw error
    // What the head cuts off is no fault of the file.
    if (file.size <= HEAD_BYTES || rows.length === 0) problems = error.named
  }
  const fields = [...new Set(rows.flatMap(row => [...row.keys()]))].filter(name => name !== '')
  return { rows: rows.slice(0, ROWS_SHOWN), fields, problems }
}

async function* headChunks(file: File): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const end = file.size > HEAD_BYTES ? bytes.lastIndexOf(0x0a) + 1 : bytes.length
  for (let at = 0; at < end; at += CHUNK_BYTES) yield bytes.subarray(at, Math.min(end, at + CHUNK_BYTES))
}

/** A row that is no object is one nameless cell. */
const rowOf = (json: string) => (json.startsWith('{') ? fieldsOf(json) : new Map([['', json]]))

function shown(file: File, { rows, fields, problems }: Head): Element[] {
  const size =
    file.size < 1_000_000 ? `${Math.ceil(file.size / 1000)} KB` : `${Math.round(file.size / 1e6)} MB`
  const title = element('h2', `${file.name}, ${size}`)
  const wrong = problems.map(problem => element('p', problem, 'v-failed'))
  if (rows.length === 0 && wrong.length === 0)
    return [title, element('p', 'Its first row is too long to be shown here, or there is none.', 'dim')]
  if (rows.length === 0) return [title, ...wrong]
  const columns = fields.length > 0 ? fields.slice(0, FIELDS_SHOWN) : ['']
  const section = element('section', '', 'scroll')
  section.tabIndex = 0
  section.setAttribute('aria-label', 'First rows')
  section.append(tableOf(columns, rows))
  const more = fields.length - columns.length
  return [title, ...wrong, section, ...(more > 0 ? [element('p', `and ${more} more fields`, 'dim')] : [])]
}

function tableOf(columns: readonly string[], rows: Head['rows']): Element {
  const table = element('table')
  const head = element('tr')
  head.append(
    ...columns.map(name => {
      const cell = element('th', name || 'row')
      cell.setAttribute('scope', 'col')
      return cell
    }),
  )
  table.append(element('thead'), element('tbody'))
  table.firstElementChild!.append(head)
  for (const row of rows) {
    const line = element('tr')
    line.append(...columns.map(name => cellOf(name, row.get(name) ?? '')))
    table.lastElementChild!.append(line)
  }
  return table
}

function cellOf(name: string, json: string): HTMLElement {
  const text: string = json.startsWith('"') ? JSON.parse(json) : json
  const cell = element('td', text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS)}…` : text)
  cell.dataset.label = name
  return cell
}

/** A choice among the fields, in place of a name to type. */
function offer(control: HTMLElement, fields: readonly string[]): void {
  const { name, value } = control as HTMLInputElement
  const select = document.createElement('select')
  select.name = name
  select.dataset.none = control.dataset.none!
  const options = fields.slice(0, FIELDS_OFFERED)
  select.append(new Option(select.dataset.none, ''), ...options.map(field => new Option(field, field)))
  select.value = options.includes(value) ? value : guess(name, options)
  control.replaceWith(select)
}

function guess(name: string, fields: readonly string[]): string {
  // Rows that are written as items already.
  const areItems =
    fields.includes('input') && fields.every(field => ['input', 'item_id', 'partition_key'].includes(field))
  if (name === 'input') return areItems ? 'input' : ''
  return GUESSES[name]?.find(field => fields.includes(field)) ?? ''
}

function element(name: string, text = '', className = ''): HTMLElement {
  const made = document.createElement(name)
  made.textContent = text
  if (className) made.className = className
  return made
}
