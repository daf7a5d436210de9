// A model that gives the answers a test scripts. Guarantee: the provider's own client reads its answers, and a request
// beyond the script is an error of the test that names the request.

import { bodyOf, type Model, ModelError, nameOf, promptOf } from './model.ts'
import { providerOf, type Said } from './providers.ts'

/** A text, or an answer with further fields. `status` and `body` do not combine with those of an answer. */
export type ScriptedAnswer =
  | string
  | {
      text?: string
      /** A value whose JSON is the text; it wins over `text`. */
      json?: unknown
      /** The model refuses, in these words. */
      refusal?: string
      tool_calls?: { name: string; arguments: unknown }[]
      /** `length`: cut off at a token limit; `content_filter`: stopped by the provider. */
      finish?: 'length' | 'content_filter'
      /** The default of both counts is one token for four characters, of the prompt and of the answer. */
      input_tokens?: number
      output_tokens?: number
    }
  /** The provider fails with this HTTP status. */
  | { status: number; message?: string }
  /** The whole body, as the provider would send it. */
  | { body: object }

export interface ScriptedRequest {
  /** The model the request names; empty if it names none. */
  model: string
  /** All texts of the prompt, instructions first, one per line. */
  prompt: string
  url: string
  /** The body as sent, parsed from JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it likes
  body: any
}

export interface ScriptedModel extends Model {
  /** All requests so far, in order. */
  readonly requests: readonly ScriptedRequest[]
}

const CHARACTERS_PER_TOKEN = 4

/**
 * A model that gives these answers one after the other, or the answer that a function returns for each request. The
 * request's path decides the format: OpenAI (chat completions and responses), Anthropic or Gemini. Answers that are
 * left over are no error; `requests` lists the requests made.
 *
 * @throws ModelError from `runItem`: `unscripted_request` if no answer is left, `bad_script` for a stream,
 *   `unexpected_request` for a request that is no model call
 * @example
 * scripted(['A text.', { json: { sorted: true } }, { refusal: 'I cannot help with that.' }, { status: 429 }])
 * scripted(({ prompt }) => (prompt.includes('fraud') ? { json: { category: 'fraud' } } : 'ok'))
 */
export function scripted(
  script:
    | readonly ScriptedAnswer[]
    | ((request: ScriptedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>),
): ScriptedModel {
  const requests: ScriptedRequest[] = []
  return {
    live: false,
    requests,
    async answer(request) {
      const body = await bodyOf(request)
      const provider = providerOf(request)
      if (provider === undefined)
        throw new ModelError(
          'unexpected_request',
          `the agent asked ${nameOf(request, body)}, which is no call of a model that a script can answer: give runItem fetch: request => Response.json(…)`,
        )
      if ((body as { stream?: unknown } | null)?.stream === true)
        throw new ModelError(
          'bad_script',
          `${nameOf(request, body)} asks for a stream; a script answers whole`,
        )
      const asked = { model: modelOf(request, body), prompt: promptOf(body), url: request.url, body }
      requests.push(asked)
      const answer = typeof script === 'function' ? await script(asked) : script[requests.length - 1]
      if (answer === undefined) throw unscripted(request, body, script, requests.length)
      return respond(answer, asked, requests.length, provider.body)
    },
  }
}

function respond(
  answer: ScriptedAnswer,
  asked: ScriptedRequest,
  place: number,
  shape: (said: Said) => object,
): Response {
  if (typeof answer === 'object' && 'status' in answer) {
    const { status, message = `The test answers ${status}.` } = answer
    // Clients that retry by themselves need not wait.
    return Response.json(
      { type: 'error', error: { type: 'scripted', code: 'scripted', message, param: null } },
      { status, headers: { 'retry-after-ms': '1' } },
    )
  }
  if (typeof answer === 'object' && 'body' in answer) return Response.json(answer.body)
  return Response.json(shape(saidOf(answer, asked, place)))
}

function saidOf(
  answer: Exclude<ScriptedAnswer, { status: number } | { body: object }>,
  { model, prompt }: ScriptedRequest,
  place: number,
): Said {
  const given = typeof answer === 'string' ? { text: answer } : answer
  const { refusal, tool_calls = [], finish = 'stop' } = given
  const text = given.json === undefined ? (given.text ?? '') : JSON.stringify(given.json)
  const calls = tool_calls.length > 0 ? JSON.stringify(tool_calls) : ''
  return {
    model,
    text,
    refusal,
    tool_calls,
    finish,
    input_tokens: given.input_tokens ?? tokensOf(prompt),
    output_tokens: given.output_tokens ?? tokensOf((refusal ?? text) + calls),
    place,
  }
}

const tokensOf = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN)

/** The model from the body, or from the path, where Gemini has it. */
function modelOf({ url }: Request, body: unknown): string {
  const { model } = (body ?? {}) as { model?: unknown }
  return typeof model === 'string' ? model : (/\/models\/([^/:]+):/.exec(new URL(url).pathname)?.[1] ?? '')
}

function unscripted(request: Request, body: unknown, script: unknown, count: number): ModelError {
  const why = Array.isArray(script)
    ? `the script has ${script.length === 1 ? 'one answer' : `${script.length} answers`}, and this is request ${count}`
    : 'the script answers undefined'
  return new ModelError('unscripted_request', `${why}: ${nameOf(request, body)}`)
}
