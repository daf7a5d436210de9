// The typed client, with its errors as failures of this command. Guarantee: `asFailure` turns every error of the API
// into a message, with a hint or a command to try next where there is one.

import { ApiFailure, type Client, createClient, type Schemas } from '../sdk/client.ts'
import { type Access, startCommand } from './access.ts'
import { EXIT, Failure } from './failure.ts'

export type { Schemas }
export type Run = Schemas['Run']
export type RunItem = Schemas['RunItem']
export type ItemRecord = Schemas['ItemRecord']
export type Step = Schemas['Step']
export type Agent = Schemas['Agent']
export type Verification = Schemas['Verification']

export type Api = Client

export function connect({ base_url, api_key }: Access, ask: typeof fetch = fetch): Api {
  return createClient({
    baseUrl: base_url,
    apiKey: api_key,
    fetch: async (input, init) => {
      try {
        return await ask(input, init)
      } catch (error) {
        throw error instanceof ApiFailure ? error : unreachable(base_url, error)
      }
    },
  })
}

/** The data of an answer; the client throws errors. */
export async function answered<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T
}

/** Finds an agent by slug or id. @throws Failure `not_found` that lists the existing agents */
export async function findAgent(api: Api, slug: string): Promise<Agent> {
  const agents = await answered(api.GET('/v1/agents'))
  const found = agents.find(agent => agent.slug === slug || agent.id === slug)
  if (found !== undefined) return found
  const known = agents.map(agent => agent.slug).slice(0, 10)
  throw new Failure(EXIT.api, 'not_found', `there is no agent "${slug}" in this project`, {
    hint: known.length > 0 ? `there are: ${known.join(', ')}` : 'nothing has been deployed yet',
    next: 'assay deploy FILE',
  })
}

/** The failure to report; undefined if the error is a bug of this program, not an error of the API. */
export function asFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  if (!(error instanceof ApiFailure)) return undefined
  const { code, message, hint, request_id, status } = error
  const where =
    status >= 500 && request_id !== undefined && error.answered_by === undefined
      ? ` (request ${request_id})`
      : ''
  const isItem = code === 'not_found' && NO_ITEM.test(message)
  // A hint that names a command says better what to try.
  const next = hint !== undefined && /\bassay [a-z]/.test(hint) ? undefined : NEXT[code]
  return new Failure(EXIT.api, code, `${message}${where}`, isItem ? OF_ITEMS : { hint, next })
}

const NO_ITEM = /no such item\b/
const OF_ITEMS = {
  hint: 'an item goes by the ID in the first column of a list; if this is your own id of it, name its run too: assay item RUN ID',
  next: 'assay items RUN',
}

const NEXT: Record<string, string> = {
  unauthenticated: 'ASSAY_API_KEY=pk_… assay runs',
  dependency_unreachable: 'npm start',
  run_already_ended: 'assay runs',
  not_found: 'assay runs',
  item_not_replayable: 'assay triage',
  item_not_paused: 'assay triage --kind quarantine',
  item_already_decided: 'assay triage',
  verdict_not_judgeable: 'assay triage',
  item_not_reopenable: 'assay triage',
  nothing_to_recover: 'assay triage',
}

/** The failure for a request that got no answer: why, and what to do about it. */
export function unreachable(
  base_url: string,
  error: unknown,
  env: Record<string, string | undefined> = process.env,
): Failure {
  if (error instanceof Failure) return error
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined
  const isLocal = /^https?:\/\/(localhost|127\.|\[::1\])/.test(base_url)
  const isRefused = cause?.code === 'ECONNREFUSED'
  const message = isRefused
    ? `nothing answers at ${base_url}`
    : `no answer from ${base_url}: ${cause?.message || cause?.code || (error as Error).message}`
  const advice = {
    hint:
      isRefused && isLocal
        ? 'the stack is not running; for a server elsewhere set ASSAY_BASE_URL and ASSAY_API_KEY'
        : (BROKEN.find(({ codes }) => codes.test(cause?.code ?? ''))?.hint ??
          'is ASSAY_BASE_URL right, and is the server up?'),
    next: isRefused && isLocal ? startCommand(env, process.cwd(), base_url) : undefined,
  }
  return new Failure(EXIT.api, 'unreachable', message, advice, error)
}

const BROKEN = [
  {
    codes: /EXPIRED|NOT_YET_VALID/,
    hint: 'its certificate is not valid now: renew it, or set the clock of this machine',
  },
  {
    codes: /ALTNAME/,
    hint: 'its certificate is for another name: is ASSAY_BASE_URL the name in it?',
  },
  {
    codes: /CERT|ISSUER|VERIFY/,
    hint: 'its certificate is signed by a CA that is not known here: NODE_EXTRA_CA_CERTS=FILE trusts the CA in that file',
  },
  {
    codes: /SSL_WRONG_VERSION|EPROTO/,
    hint: 'the server does not use TLS: should ASSAY_BASE_URL begin with http://?',
  },
  {
    codes: /^(EPIPE|ECONNRESET|UND_ERR_SOCKET)$/,
    hint: 'it was closed on the way: a proxy before the server may end requests that are too large or take too long (infra/proxies.md says which setting)',
  },
]
