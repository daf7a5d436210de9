// Stores addresses that may bear a secret, such as the hook URL of a chat. Guarantee: a stored address shows what
// `shownUrl` shows, also to the database and to a backup; its whole text is sealed behind that, for its project alone.
// Equal addresses of a project are stored as equal texts, so that statements compare and copy them.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { namedSecret } from '../../kernel/secrets.ts'
import { MASKED, SEALED, shownUrl } from '../../kernel/shown-url.ts'
import { type SealedIn, seal, unseal } from './sealing.ts'

type Keys = Pick<Context, 'config'>

const ofProject = (project_id: string): SealedIn => ({ project_id, row: ['address'] })

/**
 * The address as it is stored. One that comes back as it was shown is the `known` one; one that is stored already stays.
 * @throws ApiError `invalid_request` for a masked address that is not known here
 */
export async function keptUrl(
  ctx: Keys,
  project_id: string,
  url: string,
  known: string | null | undefined = null,
): Promise<string> {
  if (known && (url === known || url === shownUrl(known))) return known
  const shown = shownUrl(url)
  if (shown === url && !url.includes(MASKED)) return url
  if (url.includes(SEALED) && (await isKept(ctx, project_id, url))) return url
  if (url.includes(MASKED))
    throw new ApiError(
      'invalid_request',
      `The URL ${shown} is masked, as answers show it.`,
      'Send the whole URL, or leave the field out to keep the one that is stored.',
    )
  // Derived from the text: a random one would make equal addresses differ. No other text has the same.
  const iv = await namedSecret(ctx.config.master_key, 'address', JSON.stringify([project_id, url]))
  const random = (bytes: Uint8Array) => bytes.set(iv.subarray(0, bytes.length))
  return `${shown}${SEALED}${await seal({ ...ctx, random }, 'address', ofProject(project_id), url)}`
}

const isKept = (ctx: Keys, project_id: string, url: string): Promise<boolean> =>
  wholeUrl(ctx, project_id, url).then(
    whole => url.startsWith(`${shownUrl(whole)}${SEALED}`),
    () => false,
  )

/** The whole address. @throws Error if it was sealed under another master key, or for another project */
export async function wholeUrl(ctx: Keys, project_id: string, stored: string): Promise<string> {
  const at = stored.indexOf(SEALED)
  if (at < 0) return stored
  return unseal(ctx, 'address', ofProject(project_id), stored.slice(at + SEALED.length))
}

/** The fields of a start that are addresses, as they are stored. */
export async function keptStart<S extends { callback_url?: string | null | undefined }>(
  ctx: Keys,
  project_id: string,
  said: S,
  known?: string | null,
): Promise<S> {
  const { callback_url } = said
  return typeof callback_url === 'string'
    ? { ...said, callback_url: await keptUrl(ctx, project_id, callback_url, known) }
    : said
}
