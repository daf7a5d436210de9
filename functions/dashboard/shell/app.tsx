// Serves pages and actions. Guarantee: no page can be framed or cached, or runs a script that is not ours; no action
// runs for a request that another site caused; every failure becomes a page that says what to do.

import type { Hono } from 'hono'
import type { Child } from 'hono/jsx'
import * as z from 'zod'
import type { Context } from '../../../shared/context.ts'
import { basePath, withBasePath } from '../../../shared/http/base-path.ts'
import { textAnswer, withSecret } from '../../../shared/http/compression.ts'
import { drain } from '../../../shared/http/drain.ts'
import { heldSince } from '../../../shared/http/held.ts'
import type { Endpoint } from '../../../shared/http/operation.ts'
import { checkRole } from '../../../shared/http/principal.ts'
import { unlessSilent } from '../../../shared/http/silence.ts'
import { checked, queryOf } from '../../../shared/http/validation.ts'
import { errorText } from '../../../shared/kernel/error-text.ts'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { isUnreachable } from '../../../shared/kernel/unreachable.ts'
import { ApiFailure, type Schemas } from '../../../shared/sdk/client.ts'
import type { FailureRuleOf } from '../../../shared/view/worked-share.ts'
import { Misfits } from '../parts/form.tsx'
import { misfitsOf } from '../parts/misfits.ts'
import { isOrder, PageLink } from '../parts/order.ts'
import { FailureRules, readFailureRules } from '../parts/share-ok.tsx'
import { ownPath, ROOT, SIGN_IN } from './addresses.ts'
import { type Api, createApi } from './api.ts'
import { assetAnswer } from './assets.ts'
import {
  cookieOf,
  endedCookieFor,
  LAST_PROJECT,
  SESSION,
  type SignedIn,
  setCookie,
  signedIn,
} from './browser-session.ts'
import { everyFault } from './form-faults.ts'
import { isOwnForm } from './form-guard.ts'
import { formPageAmong } from './form-page.ts'
import { formOf, textsOf } from './form-values.ts'
import { Layout } from './layout.tsx'
import {
  type Notice,
  noticeBeside,
  noticeCookie,
  noticeOf,
  noticeShownCookie,
  refusedNotice,
} from './notice.ts'
import type { Action, Done, Page, View, Visit } from './page.ts'
import { foreignForm, problem, TITLES } from './problem.tsx'

/** Default headers of every response. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
}

const YEAR_S = 365 * 24 * 3600

interface Parts {
  pages: readonly Page[]
  actions: readonly Action[]
  /** The pages and actions that need no sign-in. */
  open: { pages: readonly Page[]; actions: readonly Action[] }
}

/** Serves every path below ROOT. */
export function serveParts(
  app: Hono,
  { pages, actions, open }: Parts,
  endpoints: readonly Endpoint[],
  contextFor: (request: Request) => Context,
): void {
  const apiFor = createApi(endpoints)
  const formPage = formPageAmong([...open.pages, ...pages])
  app.get(`${ROOT}/assets/:name`, c => sealed(contextFor(c.req.raw), assetAnswer(c.req.param('name'))))
  for (const page of [...open.pages, ...pages])
    app.get(honoPath(page.path), c =>
      answered(c.req.raw, () => visited(c.req.raw, c.req.param(), page, open.pages.includes(page))),
    )
  for (const action of [...open.actions, ...actions])
    app.post(honoPath(action.path), c =>
      answered(c.req.raw, () => acted(c.req.raw, c.req.param(), action, open.actions.includes(action))),
    )
  app.all(`${ROOT}/*`, async c => {
    const { pathname, search } = new URL(c.req.url)
    if (pathname.endsWith('/') && pathname.length <= LIMITS.path_characters) {
      const ctx = contextFor(c.req.raw)
      return sealed(ctx, leadTo(ctx, { to: pathname.replace(/\/+$/, '') + search }))
    }
    const nothing: Page = { path: '', query: z.unknown(), show: () => Promise.reject(noSuchPage()) }
    return answered(c.req.raw, () => visited(c.req.raw, {}, nothing, false))
  })

  /** Answers with a page even if the lookup of the session fails. */
  async function answered(request: Request, answer: () => Promise<Response>): Promise<Response> {
    const ctx = contextFor(request)
    const failed = async (error: unknown) => {
      const view = failureView(ctx, request, error, formPage(ctx, request))
      return view instanceof Response ? view : shown(ctx, request, undefined, apiFor(ctx, request, ''), view)
    }
    const whole = async () => {
      await ctx.join?.() // before it there is no key to verify a session with
      return answer()
    }
    const late = (error: unknown) => failureView(ctx, request, error) // logs it
    return sealed(ctx, await drain(request, await unlessSilent(ctx, request, whole(), late).catch(failed)))
  }

  async function visited(request: Request, params: Record<string, string>, page: Page, isOpen: boolean) {
    const ctx = contextFor(request)
    const who = await signedIn(ctx, request)
    if (who === undefined && !isOpen) return toSignIn(ctx, request)
    const api = apiFor(ctx, request, who?.access_token ?? '')
    const attempt = async () => {
      if (page.least !== undefined && who !== undefined) checkRole(who.principal, page.least)
      const query = queryOf(withoutOrders(request), page.query ?? z.strictObject({}))
      return page.show(visitOf(ctx, request, who, api, params, query))
    }
    const view = await attempt().catch(error => failureView(ctx, request, error))
    return view instanceof Response ? view : shown(ctx, request, who, api, view)
  }

  async function acted(request: Request, params: Record<string, string>, action: Action, isOpen: boolean) {
    const ctx = contextFor(request)
    const { base_url } = ctx.config
    if (!isOwnForm(request, base_url))
      return shown(ctx, request, undefined, apiFor(ctx, request, ''), foreignForm(request, base_url))
    const who = await signedIn(ctx, request)
    const from = formPage(ctx, request)
    if (who === undefined && !isOpen) return toSignIn(ctx, request, from)
    const api = apiFor(ctx, request, who?.access_token ?? '')
    const visit = visitOf(ctx, request, who, api, params, undefined)
    const checks = apiFor(ctx, request, who?.access_token ?? '', true)
    let given: Record<string, unknown> | undefined
    const attempt = async () => {
      if (action.least !== undefined && who !== undefined) checkRole(who.principal, action.least)
      if (action.form === undefined) return action.act(visit, undefined)
      given = await formOf(request, open.actions.includes(action))
      return action.act(visit, checked(action.form, given, 'body'))
    }
    const again = async (error: unknown) => {
      if (action.again === undefined || !isMisfit(error)) throw error
      const view = await action.again(visit, textsOf(given ?? {}))
      const misfits = misfitsOf(error, given ?? {})
      return shown(ctx, request, who, api, refusedView(view, misfits), noticeBeside(misfits, error))
    }
    const result = await attempt()
      .catch(error => throwWhole(error, action, { ...visit, ...checks, api: checks.client }, given))
      .catch(again)
      .catch(error => refusal(ctx, request, error, from))
    if (result instanceof Response) return result
    return 'to' in result ? leadTo(ctx, result) : shown(ctx, request, who, api, result)
  }

  async function shown(
    ctx: Context,
    request: Request,
    who: SignedIn | undefined,
    api: ReturnType<typeof apiFor>,
    view: View,
    notice = noticeOf(ctx, request),
  ): Promise<Response> {
    const calls = [...api.calls] // copied before the call for the menu
    const projects = who ? await projectsOf(api.client) : []
    const rules = who && view.project_id ? await readFailureRules(api.client, view.project_id) : undefined
    const link = request.method === 'GET' ? new URL(request.url) : undefined
    const html = await Layout({
      held: who !== undefined && (await heldSince(ctx).catch(() => null)) !== null,
      view: { ...view, body: <Provided {...{ link, rules }}>{view.body}</Provided> },
      projects,
      last_project_id: cookieOf(ctx, request, LAST_PROJECT),
      notice,
      calls,
      member: who?.principal,
      form_page: who && (view.status ?? 200) < 500 ? formPage(ctx, request) : undefined,
      base_url: ctx.config.base_url,
      now: ctx.now(),
    })
    const headers = headersOf(ctx, view, { notice, who })
    const page = withBasePath(`<!doctype html>${html}`, basePath(ctx.config.base_url))
    const response = textAnswer(page, { status: view.status ?? 200, headers })
    // A form's answer may show what was typed; a page without a member may have the token of a link.
    const mayShowSecret = request.method !== 'GET' || who === undefined || api.sawSecret()
    return mayShowSecret ? withSecret(response) : response
  }
}

/** For the menu, a failure of which must not fail the page. */
const projectsOf = (client: Api['client']): Promise<Schemas['Project'][]> =>
  client.GET('/v1/projects').then(
    answer => answer.data ?? [],
    () => [],
  )

function visitOf<Query>(
  ctx: Context,
  request: Request,
  who: SignedIn | undefined,
  api: Api,
  params: Record<string, string>,
  query: Query,
): Visit<Record<string, string>, Query> {
  // Open pages, which may have no member, do not use it.
  const member = who?.principal as SignedIn['principal']
  const mayChange = member !== undefined && member.role !== 'viewer'
  return { ...api, api: api.client, member, params, query, request, ctx, now: ctx.now(), mayChange }
}

/** The request as a page reads it: lists take their order from the link by themselves. */
function withoutOrders(request: Request): Request {
  const url = new URL(request.url)
  if (url.searchParams.size > LIMITS.query_parameters) return request // it is refused for that
  const orders = [...url.searchParams.keys()].filter(isOrder)
  for (const name of orders) url.searchParams.delete(name)
  return orders.length === 0 ? request : new Request(url)
}

/** What parts of any page read: the page's link, and from which failures on a run is bad. */
const Provided = ({
  link,
  rules,
  children,
}: {
  link: URL | undefined
  rules: FailureRuleOf | undefined
  children: Child
}) => (
  <PageLink.Provider value={link}>
    {rules === undefined ? children : <FailureRules.Provider value={rules}>{children}</FailureRules.Provider>}
  </PageLink.Provider>
)

/** Parameters match ids and words only: an encoded slash or dot could form another path of the API. */
const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1{[\\w-]+}')

/** Adds the default headers, and the installation's base path to a redirect. */
function sealed({ config }: Context, response: Response): Response {
  const to = response.headers.get('location')
  if (to !== null) response.headers.set('location', basePath(config.base_url) + to)
  for (const [name, value] of Object.entries(HEADERS))
    if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}

const noSuchPage = () => new ApiError('not_found', 'There is no such page.')

/** Leads back to the page that was asked for, or to the page of the form that was sent. */
function toSignIn(ctx: Context, request: Request, from?: string): Response {
  const { pathname, search } = new URL(request.url)
  const isForm = request.method !== 'GET'
  const to = isForm ? from : pathname + search
  const hadSession = isForm || cookieOf(ctx, request, SESSION) !== undefined
  const query = new URLSearchParams({
    ...(to !== undefined && to !== ROOT && { next: to }),
    ...(hadSession && { ended: isForm ? 'form' : 'link' }),
  })
  return new Response(null, {
    status: 303,
    headers: {
      location: query.size === 0 ? SIGN_IN : `${SIGN_IN}?${query}`,
      ...endedCookieFor(ctx, request),
    },
  })
}

function leadTo(ctx: Context, { to, said, link, undo }: Done): Response {
  const headers = new Headers({ location: ownPath(to) ?? ROOT })
  if (said !== undefined)
    headers.append(
      'set-cookie',
      noticeCookie(ctx, { kind: 'done', text: said, ...(link ? { link } : {}), ...(undo ? { undo } : {}) }),
    )
  return new Response(null, { status: 303, headers })
}

/** Redirects back to the page of the form. */
function refusal(ctx: Context, request: Request, error: unknown, from?: string): Response | View {
  const known = error instanceof ApiFailure || error instanceof ApiError
  if (error instanceof ApiFailure && error.status === 401) return toSignIn(ctx, request, from)
  if (!known || from === undefined) return failureView(ctx, request, error, from)
  const headers = new Headers({ location: from })
  headers.append('set-cookie', noticeCookie(ctx, refusedNotice(error)))
  return new Response(null, { status: 303, headers })
}

/** Whether the entry was refused (400) or conflicts (409), so that another entry may succeed. */
const isMisfit = (error: unknown): error is ApiFailure | ApiError =>
  (error instanceof ApiFailure || error instanceof ApiError) && [400, 409].includes(error.status)

/** Throws an error that has all faults of the form; where nobody is signed in, the error itself. */
async function throwWhole(
  error: unknown,
  action: Action,
  visit: Visit<Record<string, string>>,
  given: Record<string, unknown> | undefined,
): Promise<never> {
  if (visit.member === undefined || given === undefined || !isMisfit(error)) throw error
  throw await everyFault(error, action, visit, given)
}

/** The form's view with the error at each refused field. */
const refusedView = (view: View, misfits: Record<string, string>): View => ({
  ...view,
  body: <Misfits.Provider value={misfits}>{view.body}</Misfits.Provider>,
  status: 400,
  live: undefined,
})

function headersOf(
  ctx: Context,
  { project_id, retry_after_s }: View,
  { notice, who }: { notice: Notice | undefined; who: SignedIn | undefined },
): Headers {
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8' })
  if (notice) headers.append('set-cookie', noticeShownCookie(ctx))
  if (who && project_id) headers.append('set-cookie', setCookie(ctx, LAST_PROJECT, project_id, YEAR_S))
  if (retry_after_s !== undefined) headers.set('retry-after', String(retry_after_s))
  return headers
}

function failureView(ctx: Context, request: Request, error: unknown, from?: string): Response | View {
  if (error instanceof ApiFailure && error.status === 401) return toSignIn(ctx, request, from)
  if (!(error instanceof ApiFailure || error instanceof ApiError)) {
    ctx.log('error', 'page_failed', { path: new URL(request.url).pathname, error: errorText(error) })
    if (isUnreachable(error))
      return problem(500, 'PostgreSQL did not answer in its time.', 'Try again in a moment.')
    return problem(
      500,
      "Something went wrong on the server's side; its log says what.",
      'Try again in a moment.',
    )
  }
  const status = (error.status in TITLES ? error.status : 500) as NonNullable<View['status']>
  return problem(status, error.message, error.hint)
}
