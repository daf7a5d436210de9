// The part of the check-up that checks the way to the server: what the proxies on it let through. Guarantee: it creates
// nothing: every server refuses the body and the form that it sends, and it closes the stream that it opens at once.

import { judge } from '../sdk/foreign-answer.ts'
import { type Api, answered, asFailure } from './api.ts'
import { type Finding, ok, tried, unknown, wrong } from './finding.ts'
import { bytes, duration } from './format.ts'

/** More than 1 MiB, the default limit of nginx, and small enough for a slow line. */
const BODY_BYTES = 2 * 1024 * 1024
const UPLOAD_MS = 20_000
const PAGE_MS = 5000
const DASHBOARD = '/dashboard'
/** How long the server is asked to keep open the stream of a run that has ended. */
const STREAM_S = 3
/** A first event that comes later than this was buffered: a stream begins with its answer. */
const PROMPT_MS = 1500

/** Checks whether a large body gets through. It names no agent, so the server refuses it. */
export async function bodyLimitOf(base_url: string): Promise<Finding> {
  const check = 'body limit'
  const size = bytes(BODY_BYTES)
  const url = `${base_url}/v1/batches`
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ probe: 'x'.repeat(BODY_BYTES) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(UPLOAD_MS),
    })
    const judged = await judge(response, { base: base_url, url })
    if (judged.by === 'assay') return ok(check, `a body of ${size} gets through; nothing larger was tried`)
    return wrong(check, `of ${size}: ${judged.said.message}`, judged.said.hint)
  } catch (error) {
    const found = `a body of ${size} was not answered within ${duration(UPLOAD_MS)}: ${reasonOf(error)}`
    return unknown(
      check,
      found,
      'a slow line, or a proxy that closes the connection instead of answering 413',
    )
  }
}

/**
 * Checks whether the server takes this address as its own: pages redirect below its path, and a browser that sends only
 * Origin may sign in. The form sent lacks its fields, so it is no sign-in attempt. People may use another address than
 * this one, inside the cluster or through a gateway, so a mismatch is only `unknown`, never `wrong`.
 */
export async function pagesOf(base_url: string): Promise<Finding> {
  const check = 'pages'
  const { origin, pathname } = new URL(base_url)
  const wanted = pathname.replace(/\/+$/, '') + DASHBOARD
  const options = { redirect: 'manual', signal: AbortSignal.timeout(PAGE_MS) } as const
  const fix = `if people open pages by this address, set BASE_URL=${base_url} where the server runs; infra/proxies.md says the rest`
  const notHere = (found: string) => unknown(check, found, fix)
  try {
    const lead = await fetch(`${base_url}/`, options)
    await lead.body?.cancel()
    const to = lead.headers.get('location')
    const led = to !== null && URL.canParse(to, base_url) ? new URL(to, base_url).pathname : undefined
    if (led === undefined) return notHere(`${base_url}/ leads to no page`)
    if (led !== wanted) return notHere(`asked at ${base_url}, the server leads to ${led}`)
    const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' }
    const sent = { ...options, method: 'POST', headers, body: '' }
    const form = await fetch(`${base_url}${DASHBOARD}/sign-in`, sent)
    await form.body?.cancel()
    if (form.status === 403)
      return notHere(`a browser that says by Origin alone where it is cannot sign in at ${origin}`)
    return ok(check, `lead to ${led}, and take who signs in`)
  } catch (error) {
    return unknown(check, `no page was answered within ${duration(PAGE_MS)}: ${reasonOf(error)}`)
  }
}

const reasonOf = (error: unknown) => {
  const { cause, message } = error as Error
  return cause instanceof Error ? cause.message : message
}

/** Checks whether live progress arrives as it happens, or only when the stream ends. */
export async function streamsOf(api: Api, now: () => number): Promise<Finding> {
  const check = 'streams'
  const newest = await tried(() => answered(api.GET('/v2/runs', { params: { query: { limit: 1 } } })))
  if ('refused' in newest) return unknown(check, newest.refused)
  const [run] = newest
  if (run === undefined) return unknown(check, 'there is no run yet whose events could be followed')
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), 2 * STREAM_S * 1000)
  const asked = now()
  try {
    // The watchdog of OpenFaaS streams an answer only if the request accepts a stream.
    const headers = { accept: 'text/event-stream', prefer: `wait=${STREAM_S}` }
    const { data, response } = await api.GET('/v2/runs/{runId}/events', {
      params: { path: { runId: run.id } },
      headers,
      parseAs: 'stream',
      signal: over.signal,
    })
    await data?.getReader().read()
    const after = now() - asked
    if (run.finished_at !== null && !response.headers.has('preference-applied'))
      return unknown(check, 'no run is open whose events could be followed')
    if (after >= PROMPT_MS) return kept(check, `events of a run begin after ${duration(after)} only`)
    return ok(check, `events of a run begin after ${duration(after)}`)
  } catch (error) {
    if (over.signal.aborted) return kept(check, `no event of a run came within ${2 * STREAM_S} s`)
    const failure = asFailure(error)
    if (failure === undefined) return unknown(check, reasonOf(error))
    return wrong(check, `${failure.code}: ${failure.message}`, failure.hint)
  } finally {
    clearTimeout(timer)
    over.abort()
  }
}

const kept = (check: string, found: string): Finding =>
  wrong(
    check,
    `${found}: a proxy keeps them until the stream ends`,
    'turn buffering of answers off in it, in nginx proxy_buffering off; infra/proxies.md has the lines',
  )
