// The script of the submit page. It takes a file of any size, dropped or chosen, and shows its first rows and progress.
// It submits a pilot without leaving the page, so that the file is still there for the rest. Guarantee: pressing again
// submits nothing twice.

import { INPUT_LIMITS } from '../../../shared/kernel/limits/input.ts'
import { BadLines } from '../../../shared/submission/rules/file-items.ts'
import { spreadOver } from '../../../shared/submission/rules/pilot.ts'
import {
  BadOrder,
  CHANGED,
  faultsIn,
  isPasted,
  NO_FILE,
  namedOrder,
  ORDER_FIELDS,
  type OrderFields,
  orderOf,
  orderOfPilot,
  pilotQuery,
} from '../parts/submit-order.ts'
import { element } from './element.ts'
import { keepLive } from './live.ts'
import { linesOf, type OnProgress, Refused, type Submitted, send } from './submit-file.ts'
import { fit, preview } from './submit-preview.ts'
import { localTimes } from './times.ts'

/** The chosen file; it stays when the pilot's page replaces the form. */
let held: File | undefined
let isBusy = false
/** Fields for lines that are pasted instead of a file. */
const PASTED = ['lines', 'format']
/** Fields that decide whether the rows fit the agent. */
const FITTED = ['agent', 'input']
/** Idempotency keys by order, so that a retry of the same order sends the same key. */
const keys = new Map<string, string>()

document.addEventListener('submit', event => {
  const form = event.target as HTMLFormElement
  if (form.dataset.submit === undefined) return
  event.preventDefault()
  const pressed = event.submitter as HTMLButtonElement | null
  if (!isBusy) void submitting(form, pressed?.name === 'pilot')
})

document.addEventListener('change', event => {
  const control = event.target as HTMLInputElement
  const { form } = control
  if (form?.dataset.submit === undefined) return
  if (control.type === 'file') choose(control.files?.[0], form)
  else if (FITTED.includes(control.name)) void fit(form)
  else if (PASTED.includes(control.name) && held === undefined) show(pasted(form), form)
})

document.addEventListener('dragover', event => {
  if (!dropForm()) return
  event.preventDefault()
  document.body.dataset.dragging = ''
})
document.addEventListener('dragleave', event => {
  if (event.relatedTarget === null) delete document.body.dataset.dragging
})
document.addEventListener('drop', event => {
  const form = dropForm()
  if (!form) return
  event.preventDefault()
  delete document.body.dataset.dragging
  const file = event.dataTransfer?.files[0]
  if (!file || isBusy) return
  const input = form.querySelector<HTMLInputElement>('input[type=file]')
  if (input) input.files = event.dataTransfer.files
  choose(file, form)
})
window.addEventListener('popstate', () => location.reload())

const dropForm = () => document.querySelector<HTMLFormElement>('form[data-submit]')

/** `file` is undefined when the user cleared the choice. */
function choose(file: File | undefined, form: HTMLFormElement): void {
  held = file
  wrong([])
  show(file, form)
}

function show(file: File | undefined, form: HTMLFormElement): void {
  if (form.querySelector('#preview')) void preview(file, form)
}

/** Returns the pasted lines as a file; undefined where there are none. */
function pasted(form: HTMLFormElement): File | undefined {
  const given = new FormData(form)
  const lines = String(given.get('lines') ?? '')
  return lines.trim() === '' ? undefined : new File([lines], `pasted.${given.get('format')}`)
}

function fileOf(form: HTMLFormElement): File {
  held ??= pasted(form)
  if (held === undefined) throw new BadOrder(NO_FILE)
  return held
}

async function submitting(form: HTMLFormElement, wantsPilot: boolean): Promise<void> {
  isBusy = true
  wrong([])
  // Removes the errors of the first rows; reading all rows reports them again.
  for (const error of form.querySelectorAll('#preview .v-failed')) error.remove()
  form.toggleAttribute('data-busy', true)
  try {
    const fields = fieldsOfForm(form)
    await checkAll(form, fields)
    const file = fileOf(form)
    if (fields.took !== undefined) await submitRest(form, file, fields)
    else if (wantsPilot) await submitPilot(form, file, fields)
    else await submitAll(form, file, fields)
  } catch (error) {
    // Pasted text is read again, since the user may correct it; a chosen file stays.
    if (held && isPasted(held.name)) held = undefined
    wrong(sentencesOf(error))
  } finally {
    isBusy = false
    form.toggleAttribute('data-busy', false)
    document.getElementById('submit-progress')?.replaceChildren()
  }
}

/** Before anything is sent: names every fault of the form, not one at each try. @throws BadOrder */
async function checkAll(form: HTMLFormElement, fields: FormFields): Promise<void> {
  if (fields.took !== undefined) return // the pilot's order, which was accepted
  const found: string[] = []
  const note = (error: unknown) => void found.push(...sentencesOf(error))
  await (async () => orderOf(fields))().catch(note)
  await (async () => fileOf(form))()
    .then(file => (found.length > 0 ? linesOf(file, fields, onProgress) : undefined))
    .catch(note)
  found.push(...(await faultsAt(form.action, fields)))
  if (found.length > 0) throw new BadOrder(...new Set(found))
}

/** What the server would refuse; nothing where it cannot be asked, since it is asked again by the order itself. */
async function faultsAt(action: string, fields: FormFields): Promise<string[]> {
  const named = ORDER_FIELDS.flatMap(name => (fields[name] ? [[name, fields[name]]] : []))
  const response = await fetch(`${action}/faults?${new URLSearchParams(named)}`).catch(() => undefined)
  return response?.ok && !response.redirected ? response.json() : []
}

type FormFields = OrderFields & { took?: string; rows?: string; bytes?: string }

const fieldsOfForm = (form: HTMLFormElement): FormFields =>
  Object.fromEntries([...new FormData(form)].filter(([, value]) => typeof value === 'string' && value !== ''))

async function submitAll(form: HTMLFormElement, file: File, fields: FormFields): Promise<void> {
  const order = orderOf(fields)
  const { body } = await linesOf(file, fields, onProgress, () => true)
  leaveTo(await sent(form, order, body, file))
}

async function submitPilot(form: HTMLFormElement, file: File, fields: FormFields): Promise<void> {
  const named = namedOrder(fields, file.name)
  const order = orderOf(named)
  const { rows } = await linesOf(file, fields, onProgress)
  if (rows <= INPUT_LIMITS.pilot_items) return submitAll(form, file, fields)
  const { body } = await linesOf(file, fields, onProgress, spreadOver(rows, INPUT_LIMITS.pilot_items))
  const { run_id } = await sent(form, orderOfPilot(order), body, file)
  const query = pilotQuery(named, { run_id, file: file.name, rows, bytes: file.size })
  history.pushState(null, '', `${location.pathname}?${query}`)
  await showPilot(file)
}

async function submitRest(form: HTMLFormElement, file: File, fields: FormFields): Promise<void> {
  const order = orderOf(fields)
  const isPilot = spreadOver(Number(fields.rows), Number(fields.took))
  const { body, rows } = await linesOf(file, fields, onProgress, row => !isPilot(row))
  if (rows !== Number(fields.rows) || file.size !== Number(fields.bytes)) {
    held = undefined
    delete document.body.dataset.holdsFile
    throw new BadOrder(CHANGED)
  }
  leaveTo(await sent(form, order, body, file))
}

function sent(
  form: HTMLFormElement,
  order: Record<string, string>,
  body: Blob,
  file: File,
): Promise<Submitted> {
  const same = JSON.stringify([order, fieldsOfForm(form), body.size, file.name, file.lastModified])
  const key = keys.get(same) ?? crypto.randomUUID()
  keys.set(same, key)
  const query = new URLSearchParams({ ...order, idempotency_key: key })
  return send(`${form.action}/lines?${query}`, body, onProgress)
}

/** The link is relative to this script's URL, …/dashboard/assets: a proxy may serve the dashboard below a path. */
const leaveTo = ({ run_id }: Submitted) => location.assign(new URL(`../runs/${run_id}`, import.meta.url))

/** Replaces the form by the pilot's page, as if the user had navigated there. */
async function showPilot(file: File): Promise<void> {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  const made = fresh.getElementById('submit')
  if (!response.ok || made === null) return location.reload()
  document.body.dataset.holdsFile = file.name
  document.title = fresh.title
  localTimes(made)
  document.getElementById('submit')!.replaceWith(document.adoptNode(made))
  document.getElementById('main')!.focus()
  window.scrollTo(0, 0)
  keepLive(fresh.body.dataset)
}

const onProgress: OnProgress = (words, share) => {
  const place = document.getElementById('submit-progress')
  if (place === null) return
  if (place.firstElementChild === null) {
    const bar = element('progress')
    bar.setAttribute('aria-label', 'Progress')
    place.append(element('span'), bar)
  }
  place.firstElementChild!.textContent = `${words} (${percent(share)})`
  ;(place.lastElementChild as HTMLProgressElement).value = share
}

const percent = (share: number) => `${Math.floor(share * 100)} %`

function wrong(lines: readonly string[]): void {
  const place = document.getElementById('submit-wrong')
  if (place === null) return
  const list = element('ul')
  list.append(...lines.map(line => element('li', { textContent: line })))
  place.className = lines.length > 0 ? 'notice refused' : ''
  place.replaceChildren(...(lines.length > 0 ? [list] : []))
}

function sentencesOf(error: unknown): string[] {
  if (error instanceof BadLines)
    return [...error.named, 'Nothing was accepted: correct these lines, then choose the file again.']
  if (error instanceof BadOrder) return [...error.faults]
  if (error instanceof Refused) return faultsIn(error.message)
  if (error instanceof DOMException && error.name === 'NotReadableError')
    return ['The file has changed or is gone since it was chosen: choose it again.']
  throw error
}
