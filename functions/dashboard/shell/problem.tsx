// The page shown instead of one that failed: what went wrong, and what to do about it.

import { ROOT } from './addresses.ts'
import { originOf } from './form-guard.ts'
import { Linked } from './linked.tsx'
import type { View } from './page.ts'

export const TITLES: Record<number, string> = {
  400: 'Invalid link',
  403: 'Your role does not allow this',
  404: 'Not found',
  409: 'This cannot be done now',
  429: 'Too many requests',
}

export const problem = (
  status: NonNullable<View['status']>,
  text: string,
  hint: string | undefined,
  title = TITLES[status] ?? 'Something went wrong',
): View => ({
  status,
  title,
  body: (
    <section class="problem">
      <h1>{title}</h1>
      <p>
        <Linked text={text} />
      </p>
      {hint && <p class="dim">{hint}</p>}
      <p>
        <a href={ROOT}>Back to the overview</a>
      </p>
    </section>
  ),
})

export function foreignForm(request: Request, base_url: string): View {
  const origin = request.headers.has('sec-fetch-site') ? undefined : originOf(request)?.origin
  const title = 'This form is not from here'
  if (origin === undefined)
    return problem(
      403,
      'The browser says that this form was on a page of another site, so nothing was done.',
      'Open the dashboard and do it there.',
      title,
    )
  return problem(
    403,
    `The browser says that this form was on a page of ${origin}, and ${base_url === '' ? 'BASE_URL does not say at which address this installation is' : `this installation is at ${base_url}`}, so nothing was done.`,
    `If ${origin} is the same one behind a proxy, set BASE_URL to that address, or let the proxy pass the Host header on.`,
    title,
  )
}
