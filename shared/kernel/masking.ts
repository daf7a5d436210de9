// Replaces the secrets of a deployment's environment in texts. Guarantee: a secret is found as it is, as JSON writes it, once
// or twice, and as a URL writes it; a JSON text stays one, with the same keys in the same places.

import { hiddenParts, MASKED } from './shown-url.ts'

/** The variable that lists further secrets by name, separated by commas. */
export const SECRETS_VARIABLE = 'ASSAY_SECRETS'

const SECRET_NAME = /(?:^|[_-])(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$/i

/** The least: a shorter value occurs in texts by chance. */
export const SECRET_CHARACTERS = 12
/** Of a secret over several lines, such as a PEM, each line is one too, from so many characters on. */
const LINE_CHARACTERS = 24

/** Gives texts without the secrets. */
export interface Mask {
  text(text: string): string
  /** Of a text that is one JSON value. */
  json(text: string): string
}

export const UNMASKED: Mask = { text: text => text, json: text => text }

/** By environment: the items of a claim share one, and each may be a request of its own. A long PEM takes 80 µs. */
const masks = new WeakMap<object, Mask>()

/**
 * The mask for an environment: of the variables whose name ends in KEY, TOKEN, SECRET, PASSWORD or CREDENTIALS, and of
 * those that ASSAY_SECRETS lists, where a value has at least 12 characters.
 *
 * @example maskOf({ CRM_KEY: 'abcdefghijkl' }).text('key=abcdefghijkl') // 'key=[secret CRM_KEY]'
 */
export function maskOf(env: Readonly<Record<string, string | undefined>>): Mask {
  const mask = masks.get(env) ?? makeMask(env)
  masks.set(env, mask)
  return mask
}

/** The same mask, and of texts also what is masked of an address: whoever answers there may repeat its path. */
export function maskAt(mask: Mask, url: string | null): Mask {
  const parts = url === null ? [] : hiddenParts(url)
  if (parts.length === 0) return mask
  const text = (given: string) =>
    parts.reduce((masked, part) => masked.replaceAll(part, MASKED), mask.text(given))
  return { ...mask, text }
}

function makeMask(env: Readonly<Record<string, string | undefined>>): Mask {
  const listed = new Set((env[SECRETS_VARIABLE] ?? '').split(',').map(name => name.trim()))
  const secrets = Object.entries(env).flatMap(([name, value = '']) =>
    value.length >= SECRET_CHARACTERS && (SECRET_NAME.test(name) || listed.has(name))
      ? partsOf(value).map(part => ({ part, mark: `[secret ${name}]` }))
      : [],
  )
  if (secrets.length === 0) return UNMASKED
  const forms = secrets.flatMap(({ part, mark }) => formsOf(part).map(form => ({ form, mark })))
  // The longest first: one secret may begin with another.
  forms.sort((one, other) => other.form.length - one.form.length)
  const numbers = new Map(secrets.map(({ part, mark }) => [part, mark]))
  const holds = (text: string) => forms.some(({ form }) => text.includes(form))
  const text = (given: string) => {
    let masked = given
    for (const { form, mark } of forms)
      if (masked.includes(form)) masked = masked.replaceAll(form, () => mark)
    return masked
  }
  return { text, json: given => (holds(given) ? maskedTokens(given, text, numbers) : given) }
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs

/** Strings are decoded, so that it does not matter how their characters are escaped. */
function maskedTokens(
  json: string,
  mask: (text: string) => string,
  numbers: ReadonlyMap<string, string>,
): string {
  const keys = new Map<string, number>()
  return json.replace(TOKEN, (token, at: number) => {
    if (!token.startsWith('"')) return numbers.has(token) ? JSON.stringify(numbers.get(token)) : token
    const value: string = JSON.parse(token)
    const masked = mask(value)
    if (masked === value) return token
    if (!/^\s*:/.test(json.slice(at + token.length, at + token.length + 20))) return JSON.stringify(masked)
    // Two keys of an object must not become one.
    const times = (keys.get(masked) ?? 0) + 1
    keys.set(masked, times)
    return JSON.stringify(times === 1 ? masked : `${masked} ${times}`)
  })
}

/** What of a secret is one by itself: all of it, the lines of a long one, and what JSON in it names a secret. */
function partsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/)
  const long = lines.length === 1 ? [] : lines.filter(line => line.length >= LINE_CHARACTERS)
  return [...new Set([secret, ...long, ...secretsWithin(secret)])]
}

function secretsWithin(secret: string): string[] {
  if (!secret.trimStart().startsWith('{')) return []
  try {
    return Object.entries(JSON.parse(secret) as object).flatMap(([name, value]) =>
      typeof value === 'string' && value.length >= SECRET_CHARACTERS && SECRET_NAME.test(name)
        ? partsOf(value)
        : [],
    )
  } catch {
    return []
  }
}

function formsOf(secret: string): string[] {
  const asJson = (text: string) => JSON.stringify(text).slice(1, -1)
  // Some languages escape slashes too.
  const slashed = (text: string) => text.replaceAll('/', '\\/')
  const once = asJson(secret)
  const forms = [secret, once, slashed(once), asJson(once), asJson(slashed(once))]
  if (secret.isWellFormed()) forms.push(encodeURIComponent(secret))
  return [...new Set(forms)]
}
