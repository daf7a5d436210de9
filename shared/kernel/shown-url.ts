// Masks the parts of an address that may be a secret, where it is shown: hook URLs, tokens in a path or a parameter.
// Guarantee: what is masked once is not changed again, so an address that was shown is recognized when it comes back.

export const MASKED = '…'
/** Behind it a stored address has its whole text sealed (`accounts/verbs/kept-url.ts`). */
export const SEALED = '#sealed='

/** Parameters whose value is a secret, whatever it looks like. */
const SECRET_NAME = /token|key|secret|pass|pwd|sig|auth|code|cred|session|jwt|sas|api/i
const PLACEHOLDER = /\{[^{}]*\}/g
/** Words of a language, short words, numbers and versions. */
const PLAIN =
  /^(?:[A-Z]?[a-z]{0,19}|(?=.{1,20}$)[A-Z]?[a-z]+(?:[A-Z][a-z]+){1,3}|[A-Z]{1,7}|v?\d{1,8}|[A-Za-z0-9]{1,7})$/
const LONGEST = 64

/** Whether a text is made of words. Two that mix letters and digits are more likely a token cut into groups. */
function isPlain(text: string): boolean {
  const words = text.replaceAll(PLACEHOLDER, '').split(/[-_.,~:+@]/)
  const isMixed = (word: string) => /\d/.test(word) && /[a-z]/i.test(word) && !/^v\d+$/.test(word)
  return text.length <= LONGEST && words.every(word => PLAIN.test(word)) && words.filter(isMixed).length < 2
}

const shownPath = (path: string) =>
  path
    .split('/')
    .map(part => (part === MASKED || isPlain(part) ? part : MASKED))
    .join('/')

const shownParameter = (parameter: string) => {
  const at = parameter.indexOf('=')
  const [name, value] = at < 0 ? ['', parameter] : [parameter.slice(0, at + 1), parameter.slice(at + 1)]
  const isPlaceholder = value.replaceAll(PLACEHOLDER, '') === ''
  const isShown = isPlaceholder || value === MASKED || (isPlain(value) && !SECRET_NAME.test(name))
  return `${name}${isShown ? value : MASKED}`
}

/** The address without what may be a secret; what is no http or https URL is shown as it is. */
export function shownUrl(url: string): string {
  const [, scheme, host, path, query] = /^(https?:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? []
  if (scheme === undefined) return url
  const at = host!.lastIndexOf('@')
  const shownHost = at < 0 ? host : `${MASKED}@${host!.slice(at + 1)}`
  const parameters = query === undefined ? '' : `?${query.split('&').map(shownParameter).join('&')}`
  return `${scheme}${shownHost}${shownPath(path!)}${parameters}`
}

/** A shorter part occurs in texts by chance. */
const LEAST = 6

/** The parts of an address that are masked where it is shown, the longest first. */
export function hiddenParts(url: string): string[] {
  const [, user = '', path = '', query = ''] =
    /^https?:\/\/(?:([^/?#]*)@)?[^/?#]*([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? []
  const parameters = query.split('&').filter(one => shownParameter(one) !== one)
  const parts = [
    ...user.split(':'),
    ...path.split('/').filter(part => !isPlain(part)),
    ...parameters.map(one => one.slice(one.indexOf('=') + 1)),
  ]
  return [...new Set(parts)].filter(part => part.length >= LEAST).sort((a, b) => b.length - a.length)
}

export const shownUrlOrNull = (url: string | null): string | null => (url === null ? null : shownUrl(url))
