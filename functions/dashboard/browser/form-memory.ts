// Keeps what was typed into forms whose session had ended, until the user has signed in again. Guarantee: it is kept in
// this tab alone, for the same member, and only up to the next page that is not the sign-in page; no password, secret or
// file is kept, of headers only their names. What has to be entered again is named and on screen.

import { element } from './element.ts'

const NAME = 'assay-form'
/** Browsers keep some 5 million characters for a site. */
const CHARACTERS = 1_000_000
const SECRET = '[type=password], [data-secret]'
const UNKEPT = `[type=hidden], [type=file], ${SECRET}`

interface Kept {
  /** Path and query of the page. */
  at: string
  member: string
  forms: Filled[]
  /** The session had ended: the sign-in page came next, or the link to it was pressed. */
  isSignedOut: boolean
}

interface Filled {
  action: string
  fields: [string, string][]
  /** Secrets that were entered, by the names of their fields: of headers their names, of others nothing. */
  secrets: [string, string][]
  /** The field that was last in use. */
  used: string | undefined
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

let used: Control | undefined

const here = () => location.pathname + location.search
const memberOf = (page: Document) => page.querySelector('.self .who')?.textContent ?? ''

export function keepForms(): void {
  const text = sessionStorage.getItem(NAME)
  sessionStorage.removeItem(NAME)
  const isSignIn = document.querySelector('form[data-sign-in]') !== null
  if (text !== null) {
    const kept = JSON.parse(text) as Kept
    if (isSignIn) keep({ ...kept, isSignedOut: true })
    else if (kept.isSignedOut && kept.at === here() && kept.member === memberOf(document))
      fillAllIn(kept.forms)
  }
  if (isSignIn) return
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.matches('input, textarea, select')) used = target as Control
  })
  document.addEventListener('submit', event => {
    const form = event.target as HTMLFormElement
    if (!event.defaultPrevented && isSent(form)) keepFilled([form], false)
  })
}

/** Keeps what was entered and not sent: the page is left to sign in again. */
export function keepChanged(): void {
  const changed = [...document.forms].filter(one => isSent(one) && controlsOf(one).some(isChanged))
  if (changed.length > 0) keepFilled(changed, true)
}

function keepFilled(forms: readonly HTMLFormElement[], isSignedOut: boolean): void {
  const filled = forms.map(form => ({
    action: actionOf(form),
    fields: controlsOf(form)
      .filter(isFilled)
      .map((one): [string, string] => [one.name, one.value]),
    secrets: secretsOf(form)
      .filter(one => one.value !== '')
      .map((one): [string, string] => [one.name, namesOfHeaders(one)]),
    used: used?.form === form ? used.name : undefined,
  }))
  keep({ at: here(), member: memberOf(document), forms: filled, isSignedOut })
}

function keep(kept: Kept): void {
  const text = JSON.stringify(kept)
  if (text.length > CHARACTERS) return
  try {
    sessionStorage.setItem(NAME, text)
  } catch {
    // Without room for it the form is not kept.
  }
}

const controlsOf = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter(
    (one): one is Control =>
      one.matches('input, textarea, select') && !one.matches(UNKEPT) && (one as Control).name !== '',
  )

const secretsOf = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter((one): one is Control => one.matches(SECRET) && (one as Control).name !== '')

const namesOfHeaders = (one: Control): string =>
  one instanceof HTMLTextAreaElement
    ? (one.value.match(/^[^:\n]+:/gm) ?? []).map(name => `${name} `).join('\n')
    : ''

/** By attributes: a control may be named like a property of its form. */
const isSent = (form: HTMLFormElement) => form.getAttribute('method') === 'post'
const actionOf = (form: HTMLFormElement) => new URL(form.getAttribute('action') ?? '', location.href).pathname

const isBox = (one: Control): one is HTMLInputElement => one.matches('[type=checkbox], [type=radio]')
const isFilled = (one: Control) => !isBox(one) || one.checked

function isChanged(one: Control): boolean {
  if (isBox(one)) return one.checked !== one.defaultChecked
  if (!(one instanceof HTMLSelectElement)) return one.value !== one.defaultValue
  const made = [...one.options].filter(option => option.defaultSelected)
  const first = made.length > 0 || one.multiple ? made : [...one.options].slice(0, 1)
  return [...one.selectedOptions].some(option => !first.includes(option))
}

function fillAllIn(kept: readonly Filled[]): void {
  const filled = kept.flatMap(one => {
    const form = fillIn(one)
    return form === undefined ? [] : [{ form, ...one }]
  })
  const [first] = filled
  if (first === undefined) return
  const lost = filled.flatMap(({ form, secrets }) => secrets.flatMap(([name]) => named(form, name) ?? []))
  const words = 'You are signed in again. What you had entered is here; nothing was sent yet.'
  const again = lost.map(labelOf).join(', ')
  const line = element('div', { className: 'notice toast done', role: 'status' })
  line.append(
    element('p', { textContent: again === '' ? words : `${words} Not kept, to be entered again: ${again}.` }),
  )
  document.querySelector('main')!.append(line)
  const at =
    lost[0] ?? named(first.form, first.used) ?? first.form.querySelector<HTMLElement>('button:not(:disabled)')
  at?.focus({ preventScroll: true })
  at?.scrollIntoView({ block: 'center' })
}

const named = (form: HTMLFormElement, name: string | undefined): Control | undefined =>
  [...controlsOf(form), ...secretsOf(form)].find(one => one.name === name)

const labelOf = (one: Control): string =>
  (one.labels?.[0]?.querySelector('span') ?? one.labels?.[0])?.textContent?.trim() ?? one.name

function fillIn({ action, fields, secrets }: Filled): HTMLFormElement | undefined {
  const form = [...document.forms].find(one => isSent(one) && actionOf(one) === action)
  if (form === undefined || fields.length + secrets.length === 0) return
  for (const [name, value] of secrets) {
    const one = named(form, name)
    if (one) one.value = value
  }
  const left = Map.groupBy(fields, ([name]) => name)
  for (const one of controlsOf(form)) {
    const values = left.get(one.name) ?? []
    if (isBox(one)) one.checked = values.some(([, value]) => value === one.value)
    else one.value = values.shift()?.[1] ?? one.value
    one.dispatchEvent(new Event('input', { bubbles: true }))
    one.dispatchEvent(new Event('change', { bubbles: true }))
  }
  for (let around = form.closest('details'); around; around = around.parentElement!.closest('details'))
    around.open = true
  return form
}
