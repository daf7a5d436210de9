// Sees the HTTP calls that items make, by whatever client, where they leave through `fetch`. Guarantee: what the other side
// answered is read from its own answer, not from what a client or the agent's code makes of it; the agent gets that answer
// unchanged; and where calls cannot be seen, all works as without it.

import { type Classified, classify } from '../upstreams/rules/classify.ts'
import { wasSent } from '../upstreams/rules/transport.ts'
import { addressOf, bodyHead, modelOf } from './call-parts.ts'
import type { CallScope } from './call-scope.ts'
import { isA, messageOf, partsOf } from './errors.ts'
import { addressOfNode, type NodeCall, watchNodeHttp } from './node-calls.ts'
import { type Call, placeOf, refusedAtGate, refusedBefore, reportOf, reportToGate } from './outgoing-call.ts'
import type { Origin, SeenAnswers, Trouble } from './seen-answers.ts'
import { watch } from './watched-response.ts'

/** Whose calls these are: of a step, and of a model call if the step is one. */
interface Caller {
  scope: CallScope | undefined
  answers: SeenAnswers | undefined
}

interface Scopes {
  run<T>(caller: Caller | undefined, fn: () => T): T
  getStore(): Caller | undefined
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
    watchNodeHttp(() => made.getStore()?.scope, nodeCallEnded)
    shared[SHARED] = made
    return made
  } catch {
    return undefined
  }
})()

function watchFetch(scopes: Scopes): void {
  const outside = globalThis.fetch
  if (typeof outside !== 'function') return
  globalThis.fetch = (async (input, init) => {
    const caller = scopes.getStore()
    if (caller === undefined) return outside(input, init)
    const { scope, answers } = caller
    if (scope?.isOver) return afterwards(scope, outside, input, init)
    if (scope !== undefined) return seen(scope, answers, outside, input, init)
    const response = await outside(input, init)
    watchAnswer(response, answers, hostOf(input))
    return response
  }) as Fetch
  Object.assign(globalThis.fetch, outside)
}

/** Sees the answer of a call that is made in place of `fetch`, as in tests of agents. */
export function seenInstead(response: Response): Response {
  watchAnswer(response, scopes?.getStore()?.answers)
  return response
}

function watchAnswer(
  response: Response,
  answers: SeenAnswers | undefined,
  host = hostOf(response.url),
): void {
  if (answers === undefined || !response.ok) return
  answers.trouble = isPage(response.headers) ? PAGE : undefined
  const origin = host === undefined ? undefined : originOf(host, response)
  if (host !== undefined) answers.calls(host)
  watch(response, {
    failed() {},
    speaksOfError: text => answers.speaksOfError(text),
    ...answersRead(answers, origin),
  })
}

const answersRead = (answers: SeenAnswers, origin: Origin | undefined) => ({
  read: (body: unknown) => answers.read(body, origin),
  reads: () => answers.reads(origin),
})

const originOf = (host: string, { headers }: Response): Origin => ({
  host,
  header: name => headers.get(name),
})

/** Undefined of what is no call by HTTP. */
function hostOf(input: Parameters<Fetch>[0]): string | undefined {
  const url = typeof Request === 'function' && input instanceof Request ? input.url : String(input)
  return /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).host : undefined
}

const PAGE: Trouble = { fault: 'provider_error', words: 'a page instead of an answer' }

/** A call that did not pass `fetch`: it cannot be held, and its body is not read. */
async function nodeCallEnded(seen: NodeCall): Promise<void> {
  const { scope, began_ms, status, header, error } = seen
  const address = await addressOfNode(scope.of.upstreams.key, seen)
  if (address === undefined) return
  const call: Call = { scope, address, body: undefined, began_ms }
  scope.host = address.host
  const now_ms = Date.now()
  const sent = status !== null || wasSent(error)
  // Whoever gives a call up gets the same error as one whose connection ended: that is left to the agent.
  if (status === null && sent) return
  const { is_model_call } = scope.of
  if (is_model_call) scope.of.upstreams.gateOf(placeOf(call)).pass()
  if (status !== null && status < 400) {
    scope.accept()
    if (is_model_call) reportToGate(call, header)
    good(call)
  } else {
    const answer = { status, header, body: '', sent, took_ms: now_ms - began_ms, is_model_call }
    judge(call, classify(answer, now_ms), status)
  }
  if (!address.isSafe && sent && scope.refusal === undefined) scope.hasEffects = true
}

/** Runs code whose calls belong to a step. */
export const within = <T>(scope: CallScope | undefined, answers: SeenAnswers | undefined, fn: () => T): T =>
  scopes === undefined || (scope === undefined && answers === undefined)
    ? fn()
    : scopes.run({ scope, answers }, fn)

/** Runs code whose calls belong to nobody. */
export const apart = <T>(fn: () => T): T => (scopes === undefined ? fn() : scopes.run(undefined, fn))

type Fetch = typeof globalThis.fetch

/** The step is over: whoever refused it is not called by a client that tries again by itself; all else is nobody's. */
async function afterwards(
  scope: CallScope,
  outside: Fetch,
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
): Promise<Response> {
  if (scope.of.is_model_call && scope.waitsNow) {
    const address = await addressOf(scope.of.upstreams.key, input, init)
    const isAgain = address !== undefined && address.host === scope.refusal?.report.host
    if (isAgain) refusedBefore({ scope, address, body: init?.body, began_ms: Date.now() })
  }
  return outside(input, init)
}

async function seen(
  scope: CallScope,
  answers: SeenAnswers | undefined,
  outside: Fetch,
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
): Promise<Response> {
  const address = await addressOf(scope.of.upstreams.key, input, init)
  if (address === undefined) return outside(input, init)
  if (answers !== undefined) answers.trouble = undefined // that of the call before
  const call: Call = { scope, address, body: init?.body, began_ms: Date.now() }
  const own =
    init?.signal ?? (typeof Request === 'function' && input instanceof Request ? input.signal : undefined)
  const known = refusedBefore(call) ?? (await refusedAtGate(call, own))
  if (known !== undefined) return known
  scope.of.upstreams.began(placeOf(call), call.began_ms)
  answers?.calls(address.host)
  const leave = scope.enter()
  const response = await answerTo(call, outside, input, init, own).finally(leave)
  const found = await refusalIn(call, response)
  if (answers !== undefined && response.ok) answers.trouble = found
  if (found !== undefined) judge(call, found, response.status)
  else {
    scope.accept()
    if (scope.of.is_model_call) reportToGate(call, name => response.headers.get(name))
    const drop = scope.answered(() => good(call))
    if (scope.of.is_model_call)
      watch(response, {
        failed: error => {
          if (drop() && !own?.aborted) judge(call, notAnswered(call, error), response.status)
        },
        speaksOfError: text => {
          const said = classOf(call, 200, text)
          if (answers !== undefined) answers.trouble ??= said
          if (said !== undefined && drop()) judge(call, said, response.status)
        },
        ...(answers && answersRead(answers, originOf(address.host, response))),
      })
  }
  if (!address.isSafe && scope.refusal === undefined) scope.hasEffects = true
  return response
}

/** Sends the call. One whose answer does not begin for much longer than others of its step is given up. */
async function answerTo(
  call: Call,
  outside: Fetch,
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
  own: AbortSignal | null | undefined,
): Promise<Response> {
  const { scope, address, began_ms } = call
  const { firstBytes } = scope.of
  const bound_ms = firstBytes?.bound_ms()
  const given_up = bound_ms === undefined ? undefined : new AbortController()
  const timer = given_up && setTimeout(() => given_up.abort(), bound_ms)
  const signals = [own, given_up?.signal].filter(signal => signal instanceof AbortSignal)
  try {
    const response = await outside(input, given_up ? { ...init, signal: AbortSignal.any(signals) } : init)
    firstBytes?.answered(Date.now() - began_ms)
    return response
  } catch (error) {
    const isLate = given_up?.signal.aborted === true && !own?.aborted
    if (isLate) firstBytes?.gaveUp(bound_ms!)
    if (isLate || !own?.aborted) judge(call, notAnswered(call, error), null)
    if (!address.isSafe && scope.refusal === undefined && wasSent(error)) scope.hasEffects = true
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Nothing is reported of a call that went well, unless the consumer waits for one. */
function good(call: Call): void {
  const { scope, began_ms } = call
  const now_ms = Date.now()
  const { upstreams, probes } = scope.of
  const place = placeOf(call)
  upstreams.served(place, began_ms, now_ms)
  if (probes)
    scope.see({ ...reportOf(place), ago_ms: now_ms - began_ms, ...upstreams.gateOf(place).takeSeen() })
}

function notAnswered(call: Call, error: unknown): Classified | undefined {
  // By the agent's own declaration, or by how it calls: nobody outside has to do with it.
  if (messageOf(error).includes(DENIED) || isMisuse(error)) return undefined
  return classOf(call, null, '', wasSent(error))
}

/** Node's `fetch` names no code for what it does not send, such as to a port that is not allowed. */
const isMisuse = (error: unknown): boolean => {
  if (!isA(error, TypeError)) return false
  const { cause } = partsOf(error)
  return (
    error.message !== 'terminated' &&
    (cause === undefined || (cause as { code?: unknown }).code === undefined)
  )
}

function classOf({ scope, began_ms }: Call, status: number | null, body: string, sent = true) {
  const now_ms = Date.now()
  const { is_model_call } = scope.of
  const answer = { status, header: () => null, body, sent, took_ms: now_ms - began_ms, is_model_call }
  return classify(answer, now_ms)
}

/** What an answer refuses; undefined for a good one, and for what is the agent's to read. */
async function refusalIn({ scope, began_ms }: Call, response: Response): Promise<Classified | undefined> {
  const { status, headers } = response
  const { is_model_call } = scope.of
  const isOurs = is_model_call ? !response.ok || isPage(headers) : status === TOO_MANY
  if (!isOurs) return undefined
  const took_ms = Date.now() - began_ms
  const body = await bodyHead(response)
  const header = (name: string) => headers.get(name)
  return classify({ status, header, body, sent: true, took_ms, is_model_call }, Date.now())
}

const TOO_MANY = 429

/** Other errors in a 200 are found when they are read; of a page a client only says that it is no JSON. */
const isPage = (headers: Headers): boolean => (headers.get('content-type') ?? '').startsWith('text/html')

/**
 * What a call that did not go well means for its step, if that throws. Outside of a model call only what was not sent, and
 * 429, is the upstream's: anything else may have had an effect, and is the agent's to handle. It closes nothing there: a
 * tool may be given its host by its input.
 */
function judge(call: Call, found: Classified | undefined, status: number | null): void {
  const { scope, began_ms } = call
  if (scope.isOver) return
  scope.accept()
  if (found === undefined) return
  const { is_model_call, item, upstreams, waits } = scope.of
  const { fault, words, retry_after_ms } = found
  if (fault === 'rejected' || fault === 'provider_error') return
  if (!is_model_call && fault !== 'rate' && (fault !== 'away' || status !== null)) return
  const place = { ...placeOf(call), model: modelOf(call.address.url, call.body) }
  if (is_model_call && fault === 'rate') upstreams.gateOf(place).refused()
  const now_ms = Date.now()
  const report = is_model_call
    ? upstreams.failed(place, found, { item, status, began_ms, now_ms })
    : { ...reportOf(place), fault, ago_ms: now_ms - began_ms, closed: false, others_served: false }
  if (waits) scope.refuse({ report, status, words, retry_after_ms })
  else scope.see(report)
}

/** How the egress of a bundle's process begins a refusal of its own. */
const DENIED = 'egress denied'
