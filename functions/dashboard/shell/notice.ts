// The notice that an action passes to the next page in a cookie. Guarantee: it is shown once, as text, and is cut to a
// size that browsers keep; its undo is always an action of the dashboard.

import * as z from 'zod'
import type { Context } from '../../../shared/context.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { shortened } from '../../../shared/kernel/text-head.ts'
import { ownPath } from './addresses.ts'
import { cookieOf, setCookie } from './browser-session.ts'

const Notice = z.strictObject({
  kind: z.enum(['done', 'refused']),
  text: z.string(),
  hint: z.string().optional(),
  /** Where what was started is seen. */
  link: z.strictObject({ to: z.string().refine(to => ownPath(to) === to), label: z.string() }).optional(),
  /** The action that undoes it, with the fields of its form. */
  undo: z
    .strictObject({
      action: z.string().refine(action => ownPath(action) === action),
      fields: z.record(z.string(), z.string()),
    })
    .optional(),
})
export type Notice = z.infer<typeof Notice>

const NAME = 'notice'
type Configured = Pick<Context, 'config'>
const SHOWN_WITHIN_S = 60

export const noticeCookie = (ctx: Configured, notice: Notice): string =>
  setCookie(ctx, NAME, packed(notice), SHOWN_WITHIN_S)
export const noticeShownCookie = (ctx: Configured): string => setCookie(ctx, NAME, '', 0)

export function noticeOf(ctx: Configured, request: Request): Notice | undefined {
  const value = cookieOf(ctx, request, NAME)
  if (!value) return undefined
  try {
    return Notice.parse(JSON.parse(decodeURIComponent(value)))
  } catch {
    return undefined
  }
}

/** Browsers drop a cookie of more than 4 KB: long texts are cut, then the hint and at last the undo are left out. */
function packed(notice: Notice): string {
  const cut = (text: string | undefined) => text && shortened(text, LIMITS.notice_characters)
  const words = { ...notice, text: cut(notice.text), hint: cut(notice.hint) }
  const least = { ...words, hint: undefined, undo: undefined }
  const texts = [words, { ...words, hint: undefined }].map(encoded)
  return texts.find(text => text.length <= LIMITS.notice_cookie_bytes) ?? encoded(least)
}

const encoded = (value: object) => encodeURIComponent(JSON.stringify(value))

interface Refusal {
  message: string
  hint?: string | undefined
}

export const refusedNotice = ({ message: text, hint }: Refusal): Notice => ({
  kind: 'refused',
  text,
  ...(hint === undefined ? {} : { hint }),
})

/** The notice above a refused form; it does not repeat a message that one of the fields shows in full. */
export function noticeBeside(misfits: Readonly<Record<string, string>>, refusal: Refusal): Notice {
  const whole = [refusal.message, refusal.hint].filter(Boolean).join(' ')
  if (!Object.values(misfits).includes(whole)) return refusedNotice(refusal)
  return { kind: 'refused', text: 'One field was refused; it says why.' }
}
