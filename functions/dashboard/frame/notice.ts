// What an action tells the page it leads to. Guarantee: it is shown once, as text.

import { z } from 'zod'
import { LIMITS } from '../../../shared/domain/limits.ts'
import { cookieOf, setCookie } from './browser-session.ts'

const Notice = z.strictObject({
  kind: z.enum(['done', 'refused']),
  text: z.string(),
  hint: z.string().optional(),
  /** An action that takes it back, with what its form holds. */
  undo: z.strictObject({ action: z.string(), fields: z.record(z.string(), z.string()) }).optional(),
})
export type Notice = z.infer<typeof Notice>

const NAME = '__Host-assay-notice'
const SHOWN_WITHIN_S = 60

export const noticeCookie = (notice: Notice): string => setCookie(NAME, packed(notice), SHOWN_WITHIN_S)
export const noticeShownCookie = (): string => setCookie(NAME, '', 0)

export function noticeOf(request: Request): Notice | undefined {
  const value = cookieOf(request, NAME)
  if (!value) return undefined
  try {
    return Notice.parse(JSON.parse(decodeURIComponent(value)))
  } catch {
    return undefined
  }
}

/** Browsers keep 4 KB a cookie: words that are longer end early. */
function packed(notice: Notice): string {
  const cut = (text: string) => text.slice(0, LIMITS.notice_characters)
  const { text, hint, ...rest } = notice
  return encodeURIComponent(
    JSON.stringify({ ...rest, text: cut(text), ...(hint === undefined ? {} : { hint: cut(hint) }) }),
  )
}
