// Replaces the secrets of a deployment's environment in texts. Guarantee: a secret is found as it is, as JSON writes it, once
// or twice, and as a URL writes it; what replaces it is safe in each of these.

/** The variable that lists further secrets by name, separated by commas. */
export const SECRETS_VARIABLE = 'ASSAY_SECRETS'

const SECRET_NAME = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$/i

/** The least: a shorter value occurs in texts by chance. */
export const SECRET_CHARACTERS = 12

/** Gives the text without the secrets. */
export type Mask = (text: string) => string

const UNMASKED: Mask = text => text

/**
 * The mask for an environment: of the variables whose name ends in KEY, TOKEN, SECRET, PASSWORD or CREDENTIALS, and of
 * those that ASSAY_SECRETS lists, where a value has at least 12 characters.
 *
 * @example maskOf({ CRM_KEY: 'abcdefghijkl' })('key=abcdefghijkl') // 'key=[secret CRM_KEY]'
 */
export function maskOf(env: Readonly<Record<string, string | undefined>>): Mask {
  const listed = new Set((env[SECRETS_VARIABLE] ?? '').split(',').map(name => name.trim()))
  const found = Object.entries(env).flatMap(([name, value = '']) =>
    value.length >= SECRET_CHARACTERS && (SECRET_NAME.test(name) || listed.has(name))
      ? formsOf(value).map(form => [form, `[secret ${name}]`] as const)
      : [],
  )
  if (found.length === 0) return UNMASKED
  // The longest first: one secret may begin with another.
  found.sort(([one], [other]) => other.length - one.length)
  return text => {
    let masked = text
    for (const [form, mark] of found) if (masked.includes(form)) masked = masked.replaceAll(form, () => mark)
    return masked
  }
}

function formsOf(secret: string): string[] {
  const asJson = (text: string) => JSON.stringify(text).slice(1, -1)
  const forms = [secret, asJson(secret), asJson(asJson(secret))]
  if (secret.isWellFormed()) forms.push(encodeURIComponent(secret))
  return [...new Set(forms)]
}
