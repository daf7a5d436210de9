// A model that says what the test tells it to. Guarantee: the provider's own client reads its answers, and a request
// beyond the script is an error of the test that names the request.

import { bodyOf, type Model, ModelError, nameOf, promptOf } from './model.ts'
import { providerOf, type Said } from './providers.ts'

/** A text, or an answer with more to it. Only `status` and `body` stand alone. */
export type ScriptedAnswer =
  | string
  | {
      text?: string
      /** The text is this value as JSON. */
      json?: unknown
      /** The model refuses, in these words. */
      refusal?: string
      tool_calls?: { name: string; arguments: unknown }[]
      /** `length`: cut off at a token limit; `content_filter`: stopped by the provider. */
      finish?: 'length' | 'content_filter'
      /** Four characters of prompt and answer are one token unless told. */
      input_tokens?: number
      output_tokens?: number
    }
  /** The provider fails with this HTTP status. */
  | { status: number; message?: string }
  /** The whole body, as the provider would send it. */
  | { body: object }

export interface ScriptedRequest {
  /** The model asked; empty where the request names none. */
  model: string
  /** All texts of the prompt, instructions first, a line each. */
  prompt: string
  url: string
  /** As it was sent, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it likes
  body: any
}

export interface ScriptedModel extends Model {
  /** What was asked so far, in order. */
  readonly requests: readonly ScriptedRequest[]
}

const CHARACTERS_PER_TOKEN = 4

/**
 * A model that gives these answers one after the other, or what a function answers to each request, in the format of
 * whom the agent asks: OpenAI (chat completions and responses), Anthropic or Gemini, by the path of the request. Answers
 * that are not asked for are no error; `requests` tells what was.
 *
 * @throws ModelError from `runItem`: `unscripted_request` where there is no answer left, `bad_script` for a stream
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
    // Clients that try again by themselves need not wait.
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
  const told = typeof answer === 'string' ? { text: answer } : answer
  const { refusal, tool_calls = [], finish = 'stop' } = told
  const text = told.json === undefined ? (told.text ?? '') : JSON.stringify(told.json)
  const calls = tool_calls.length > 0 ? JSON.stringify(tool_calls) : ''
  return {
    model,
    text,
    refusal,
    tool_calls,
    finish,
    input_tokens: told.input_tokens ?? tokensOf(prompt),
    output_tokens: told.output_tokens ?? tokensOf((refusal ?? text) + calls),
    place,
  }
}

const tokensOf = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN)

/** Gemini has the model in the path. */
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
