// What an agent under test reaches. Guarantee: while an item is run here, every fetch of its agent, also by clients
// made before, goes to the test and nowhere else; what runs beside it keeps the real one.

import { AsyncLocalStorage } from 'node:async_hooks'

/** Answers in the place of the network; `send` is the real fetch. */
export type Answering = (request: Request, send: typeof fetch) => Promise<Response>

const answering = new AsyncLocalStorage<Answering>()
let real = globalThis.fetch

const intercepted: typeof fetch = (input, init) => {
  const answer = answering.getStore()
  if (answer === undefined) return real(input, init)
  const request = new Request(input, init)
  // The request itself would be aborted by its signal only on its way through the network.
  return Promise.race([answer(request, real), aborted(request.signal)])
}

/** Puts itself before the fetch that is there; whoever replaced it in the meantime stays behind it. */
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

/** Keys without which the clients of providers do not even start. */
const KEYS = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY']
const lent = new Set<string>()
let borrowers = 0

/** Fills in the keys that are missing for as long as `fn` takes. */
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
