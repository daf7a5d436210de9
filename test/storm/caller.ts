// Calls the API. Guarantee: every answer that a caller should not get is recorded with the times of request and answer.

import { setTimeout as pause } from 'node:timers/promises'

const ANSWER_MS = 40_000 // longer than any deadline of the server for these requests
const AGAIN_MS = 300
const AGAIN_FOR_MS = 60_000

export interface Asked {
  method?: 'GET' | 'POST'
  body?: string
  headers?: Record<string, string>
}

export interface Answer {
  /** 0 if no answer came. */
  status: number
  code: string
  body: Record<string, unknown>
}

/** A 5xx answer, or a 4xx that is not one of TO_BE_EXPECTED. */
export interface Failure {
  from: number
  to: number
  what: string
  status: number
  code: string
}

/** Refusals that are normal in a storm: the target has ended meanwhile, or an earlier attempt already did the work. */
const TO_BE_EXPECTED = ['run_already_ended', 'item_not_replayable', 'item_not_paused', 'nothing_to_recover']

export class Caller {
  readonly failures: Failure[] = []
  answers = 0
  readonly #urls: readonly string[]
  readonly #key: string
  #next = 0

  constructor(urls: readonly string[], key: string) {
    this.#urls = urls
    this.#key = key
  }

  /** Sends the request once, to each API in turn. */
  async ask(path: string, { method = 'POST', body, headers = {} }: Asked = {}): Promise<Answer> {
    const from = Date.now()
    const url = this.#urls[this.#next++ % this.#urls.length]! + path
    const answer = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
      .then(read)
      .catch((): Answer => ({ status: 0, code: 'no answer', body: {} }))
    this.answers++
    const { status, code } = answer
    if (status >= 400 && !TO_BE_EXPECTED.includes(code))
      this.failures.push({ from, to: Date.now(), what: `${method} ${path.split('?')[0]}`, status, code })
    return answer
  }

  /** Repeats a request until the answer is clear or AGAIN_FOR_MS passed. Only for requests that may be repeated. */
  async insist(path: string, asked?: Asked): Promise<Answer> {
    for (const end = Date.now() + AGAIN_FOR_MS; ; await pause(AGAIN_MS)) {
      const answer = await this.ask(path, asked)
      if (isClear(answer) || Date.now() > end) return answer
    }
  }
}

export const isClear = ({ status }: Answer) => status > 0 && status < 500

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>
  const { code = text.slice(0, 80) } = (body.error ?? {}) as { code?: string }
  return { status: response.status, code, body }
}
