// Keeps what was typed into forms whose session had ended, until the user has signed in again. Guarantee: it is kept in
// this tab alone, for the same member, and only up to the next page that is not the sign-in page; no password, secret or
// file is kept.

import { element } from './element.ts'

const NAME = 'assay-form'
/** Browsers keep some 5 million characters for a site. */
const CHARACTERS = 1_000_000
const UNKEPT = '[type=password], [type=hidden], [type=file], [data-secret]'

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
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

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
  const filled = kept.flatMap(one => fillIn(one) ?? [])
  const [form] = filled
  if (form === undefined) return
  const words = 'You are signed in again. What you had entered is here; nothing was sent yet.'
  const line = element('div', { className: 'notice done', role: 'status' })
  line.append(element('p', { textContent: words }))
  form.before(line)
  line.scrollIntoView({ block: 'center' })
  form.querySelector<HTMLElement>('[type=password], [data-secret], button:not(:disabled)')?.focus({
    preventScroll: true,
  })
}

function fillIn({ action, fields }: Filled): HTMLFormElement | undefined {
  const form = [...document.forms].find(one => isSent(one) && actionOf(one) === action)
  if (form === undefined || fields.length === 0) return
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
