// Replaces the network of an agent under test. Guarantee: while an item runs, every fetch of its agent, also by clients
// made before, goes to the test and nowhere else; other code that runs meanwhile keeps the real fetch.

import { AsyncLocalStorage } from 'node:async_hooks'
import { apart, seenInstead } from '../sdk/calls.ts'

/** Answers a request instead of the network; `send` is the real fetch. */
export type Answering = (request: Request, send: typeof fetch) => Promise<Response>

const answering = new AsyncLocalStorage<Answering>()
/** Set while the current fetch is called: one that was wrapped around ours calls ours again. */
const inPassing = new AsyncLocalStorage<true>()
const original = globalThis.fetch
let real = original

/** The real fetch. */
export const passing: typeof fetch = (input, init) => inPassing.run(true, () => real(input, init))
/** The same in place of an answer, which is seen once it is given. */
const unseen: typeof fetch = (input, init) => apart(() => passing(input, init))

const intercepted: typeof fetch = (input, init) => {
  if (inPassing.getStore()) return original(input, init)
  const answer = answering.getStore()
  if (answer === undefined) return passing(input, init)
  const request = new Request(input, init)
  // Only the real network would react to the request's signal, so an abort is handled here.
  return Promise.race([answer(request, unseen).then(seenInstead), aborted(request.signal)])
}

/** Replaces the global fetch and wraps the current one, also one that somebody set in the meantime. */
export function interceptFetch(): void {
  if (globalThis.fetch === intercepted) return
  real = globalThis.fetch
  globalThis.fetch = intercepted
}

export function withAnswers<T>(answer: Answering, fn: () => Promise<T>): Promise<T> {
  interceptFetch()
  return answering.run(answer, fn)
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Environment variables without which the providers' clients do not even start. */
const KEYS = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY']
const lent = new Set<string>()
let borrowers = 0

/** Sets the missing keys to a placeholder while `fn` runs. */
export async function withKeys<T>(fn: () => Promise<T>): Promise<T> {
  for (const key of KEYS.filter(key => !process.env[key])) {
    process.env[key] = 'not-needed-in-a-test'
    lent.add(key)
  }
  borrowers++
  try {
    return await fn()
  } finally {
    if (--borrowers === 0) {
      for (const key of lent) delete process.env[key]
      lent.clear()
    }
  }
}
