// Sees the HTTP calls that items make, by whatever client, where they leave through `fetch`. Guarantee: what the other side
// answered is read from its own answer, not from what a client or the agent's code makes of it; the agent gets that answer
// unchanged; and where calls cannot be seen, all works as without it.

import type { UpstreamReport } from '../protocol/rules/protocol.ts'
import { type Classified, classify } from '../upstreams/rules/classify.ts'
import { wasSent } from '../upstreams/rules/transport.ts'
import { addressOf, bodyHead, type CallAddress, modelOf } from './call-parts.ts'
import type { CallScope } from './call-scope.ts'
import { Interrupt, messageOf } from './errors.ts'
import { addressOfNode, type NodeCall, watchNodeHttp } from './node-calls.ts'
import type { Place } from './upstreams.ts'
import { watched } from './watched-response.ts'

interface Scopes {
  run<T>(scope: CallScope, fn: () => T): T
  getStore(): CallScope | undefined
}

type AsyncHooks = { AsyncLocalStorage: new () => Scopes }
type Builtins = { getBuiltinModule?: (name: string) => unknown }

/** What several copies of this module in one process share, such as those of an agent's bundle and of its host. */
const SHARED = Symbol.for('assay.calls')

/** Undefined on hosts that cannot tell which item a call belongs to. */
const scopes: Scopes | undefined = (() => {
  const shared = globalThis as { process?: Builtins; [SHARED]?: Scopes }
  if (shared[SHARED]) return shared[SHARED]
  try {
    const hooks = shared.process?.getBuiltinModule?.('node:async_hooks') as AsyncHooks | undefined
    if (hooks === undefined) return undefined
    const made = new hooks.AsyncLocalStorage()
    // Clients take `fetch` when they are made, after this module was loaded.
    watchFetch(made)
    watchNodeHttp(() => made.getStore(), nodeCallEnded)
    shared[SHARED] = made
    return made
  } catch {
    return undefined
  }
})()

function watchFetch(scopes: Scopes): void {
  const outside = globalThis.fetch
  if (typeof outside !== 'function') return
  globalThis.fetch = ((input, init) => {
    const scope = scopes.getStore()
    return scope === undefined ? outside(input, init) : seen(scope, outside, input, init)
  }) as Fetch
}

/** A call that did not pass `fetch`: it cannot be held, and its body is not read. */
async function nodeCallEnded(seen: NodeCall): Promise<void> {
  const { scope, began_ms, status, header, error } = seen
  const address = await addressOfNode(scope.upstreams.key, seen)
  if (address === undefined) return
  const call: Call = { scope, address, body: undefined, began_ms }
  const now_ms = Date.now()
  const { is_model_call } = scope
  const answer = { status, header, body: '', sent: status !== null || wasSent(error), is_model_call }
  // Whoever gives a call up gets the same error as one whose connection ended: that is left to the agent.
  if (status === null && answer.sent) return
  try {
    if (status !== null && status < 400) good(call)
    else judge(call, classify({ ...answer, took_ms: now_ms - began_ms }, now_ms), status)
  } finally {
    if (!address.isSafe && answer.sent) scope.hasEffects = true
  }
}

/** Runs code whose calls belong to a scope. */
export const within = <T>(scope: CallScope | undefined, fn: () => T): T =>
  scope === undefined || scopes === undefined ? fn() : scopes.run(scope, fn)

type Fetch = typeof globalThis.fetch

async function seen(
  scope: CallScope,
  outside: Fetch,
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
): Promise<Response> {
  if (scope.refusal) throw new Interrupt(scope.refusal.words)
  const address = await addressOf(scope.upstreams.key, input, init)
  if (address === undefined) return outside(input, init)
  const call: Call = { scope, address, body: init?.body, began_ms: Date.now() }
  const closed = scope.probes ? undefined : scope.upstreams.closed(placeOf(call), Date.now())
  if (closed !== undefined && (scope.is_model_call || closed.fault === 'away' || closed.fault === 'rate')) {
    if (!scope.waits) return refusalOf(closed.words)
    const report = { ...reportOf(placeOf(call)), fault: closed.fault, called: false }
    scope.stop({ report, status: null, words: closed.words, retry_after_ms: null })
  }
  scope.upstreams.began(placeOf(call), call.began_ms)
  const response = await answerTo(call, outside, input, init)
  const found = await refused(scope, response, call.began_ms)
  if (found !== undefined) judge(call, found, response.status)
  if (!address.isSafe) scope.hasEffects = true
  if (found !== undefined) return response
  if (!scope.is_model_call) good(call)
  else
    watched(response, {
      ended: () => good(call),
      failed: error => judge(call, notAnswered(call, error), response.status),
      speaksOfError: text => judge(call, classOf(call, 200, text), response.status),
    })
  return response
}

/** A call that is under way. */
interface Call {
  scope: CallScope
  address: CallAddress
  body: unknown
  began_ms: number
}

const placeOf = ({ scope, address: { host, key, url }, body }: Call): Place => ({
  host,
  key,
  model: scope.probes || scope.upstreams.isTroubled(Date.now()) ? modelOf(url, body) : '',
})

/** Sends the call. One whose answer does not begin for much longer than others of its step is given up. */
async function answerTo(
  call: Call,
  outside: Fetch,
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
): Promise<Response> {
  const { scope, address, began_ms } = call
  const bound_ms = scope.firstBytes?.bound_ms()
  const given_up = bound_ms === undefined ? undefined : new AbortController()
  const timer = given_up && setTimeout(() => given_up.abort(), bound_ms)
  const signals = [init?.signal, given_up?.signal].filter(signal => signal instanceof AbortSignal)
  try {
    const response = await outside(input, given_up ? { ...init, signal: AbortSignal.any(signals) } : init)
    scope.firstBytes?.answered(Date.now() - began_ms)
    return response
  } catch (error) {
    if (given_up?.signal.aborted) scope.firstBytes?.gaveUp()
    try {
      if (given_up?.signal.aborted || !init?.signal?.aborted) judge(call, notAnswered(call, error), null)
    } finally {
      if (!address.isSafe && wasSent(error)) scope.hasEffects = true
    }
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Nothing is reported of a call that went well, unless the consumer waits for one. */
function good(call: Call): void {
  const { scope, began_ms } = call
  const now_ms = Date.now()
  scope.upstreams.served(placeOf(call), began_ms, now_ms)
  if (scope.probes) scope.seen = { ...reportOf(placeOf(call)), ago_ms: now_ms - began_ms }
}

const reportOf = ({ host, key, model }: Place): UpstreamReport => ({
  host,
  ...(key !== '' && { key }),
  ...(model !== '' && { model }),
})

function notAnswered(call: Call, error: unknown): Classified | undefined {
  if (messageOf(error).includes(DENIED)) return undefined // by the agent's own declaration
  return classOf(call, null, '', wasSent(error))
}

function classOf({ scope, began_ms }: Call, status: number | null, body: string, sent = true) {
  const now_ms = Date.now()
  const { is_model_call } = scope
  const answer = { status, header: () => null, body, sent, took_ms: now_ms - began_ms, is_model_call }
  return classify(answer, now_ms)
}

/** What an answer refuses; undefined for a good one. */
async function refused(
  scope: CallScope,
  response: Response,
  began_ms: number,
): Promise<Classified | undefined> {
  const { status, headers } = response
  const { is_model_call } = scope
  if (response.ok && !(is_model_call && isPage(headers))) return undefined
  const now_ms = Date.now()
  const body = await bodyHead(response)
  const header = (name: string) => headers.get(name)
  return classify({ status, header, body, sent: true, took_ms: now_ms - began_ms, is_model_call }, now_ms)
}

/** Other errors in a 200 are found when they are read; of a page a client only says that it is no JSON. */
const isPage = (headers: Headers): boolean => (headers.get('content-type') ?? '').startsWith('text/html')

/**
 * What a call that did not go well means for its item. Outside of a model call only what was not sent, and 429, is the
 * upstream's: anything else may have had an effect, and is the agent's to handle.
 */
function judge(call: Call, found: Classified | undefined, status: number | null): void {
  if (found === undefined) return
  const { scope, began_ms } = call
  const { fault, words, retry_after_ms } = found
  if (fault === 'rejected' || fault === 'provider_error') return
  if (!scope.is_model_call && fault !== 'rate' && (fault !== 'away' || status !== null)) return
  const place = { ...placeOf(call), model: modelOf(call.address.url, call.body) }
  const report = scope.upstreams.failed(place, found, {
    item: scope.item,
    status,
    began_ms,
    now_ms: Date.now(),
  })
  // What this step has sent before would be sent again.
  if (scope.waits && (scope.is_model_call || !scope.hasEffects))
    scope.stop({ report, status, words, retry_after_ms })
  scope.seen = report
}

/** How the egress of a bundle's process begins a refusal of its own. */
const DENIED = 'egress denied'

/** A refusal for an agent that does not wait, in a form that clients do not try again. */
const refusalOf = (words: string): Response =>
  Response.json(
    { error: { message: words, type: 'upstream_closed', code: 'upstream_closed' } },
    { status: 503, headers: { 'x-should-retry': 'false' } },
  )
