// Reads chat completions of OpenAI and the many providers in its format (Mistral, Groq, DeepSeek, xAI, Perplexity,
// Together, OpenRouter, vLLM …), in snake case or in the camel case of Mistral's client; and the text completions
// before them.

import {
  type Counts,
  type Fields,
  type Finish,
  fields,
  filled,
  finishOf,
  Gathered,
  list,
  type Shape,
  some,
  textOf,
} from './answer.ts'
import { billIn } from './bills.ts'
import { finishOfError, knownFinish, UNFINISHED, worse } from './finish-words.ts'
import { hostOfChat } from './hosts.ts'
import { chatCounts, tierOf } from './raw-usage.ts'

export const openaiChat: Shape = {
  read(body) {
    if (!Array.isArray(body.choices)) return undefined
    const choice = fields(body.choices[0])
    if (typeof choice?.text === 'string' && choice.message === undefined) return readLegacy(body, choice)
    const message = fields(choice?.message)
    if (message === undefined && body.object !== 'chat.completion') return undefined
    if (message !== undefined && !('content' in message || 'role' in message)) return undefined
    const gathered = new Gathered().add(message?.content)
    if (filled(message?.refusal)) gathered.refusal = message.refusal
    gathered.calls(message?.tool_calls).calls(message?.toolCalls)
    if (message?.function_call != null) gathered.call(message.function_call)
    gathered.has_data ||= message?.audio != null || some(message?.images)
    gathered.host = hostOfChat(body)
    return gathered.completion('openai_chat', body.model, finishIn(body, choice), countsIn(body, gathered))
  },
  messages(body) {
    if (!some(body.choices)) return undefined
    const read = body.choices.map(choice => {
      const { message, text } = fields(choice) ?? {}
      return fields(message) ?? (typeof text === 'string' ? { role: 'assistant', content: text } : undefined)
    })
    return read.every(one => one !== undefined) ? read : undefined
  },
  join(pieces) {
    const chunks = pieces.map(piece => fields(piece.data) ?? piece)
    if (chunks[0]?.object === 'text_completion') return joinedLegacy(chunks)
    if (
      !chunks.some(chunk => list(chunk.choices).some(choice => fields(fields(choice)?.delta) !== undefined))
    )
      return undefined
    const message: Fields = { role: 'assistant', content: '' }
    const only: Fields = { message, finish_reason: UNFINISHED }
    const whole: Fields = { object: 'chat.completion', choices: [only] }
    const calls = new Map<unknown, Fields>()
    for (const chunk of chunks) {
      whole.model ??= chunk.model
      for (const name of PASSED_ON) if (chunk[name] != null) whole[name] = chunk[name]
      const choice = fields(list(chunk.choices)[0])
      // The tokens without a choice come last: this server ends its streams without a word.
      if (choice === undefined && chunk.usage != null && only.finish_reason === UNFINISHED)
        only.finish_reason = null
      if (choice === undefined || (choice.index !== undefined && choice.index !== 0)) continue
      const delta = fields(choice.delta)
      message.content += new Gathered().add(delta?.content).text
      if (filled(delta?.refusal)) message.refusal = `${textOf(message.refusal)}${delta.refusal}`
      for (const piece of list(delta?.tool_calls ?? delta?.toolCalls)) joinCall(calls, piece)
      for (const name of ['function_call', 'audio', 'images'])
        if (delta?.[name] != null) message[name] = delta[name]
      const reason = choice.finish_reason ?? choice.finishReason
      if (reason != null) only.finish_reason = reason
      for (const name of ['native_finish_reason', 'error', 'content_filter_results'])
        if (choice[name] != null) only[name] = choice[name]
    }
    if (calls.size > 0) message.tool_calls = [...calls.values()]
    return whole
  },
}

/** What the pieces of a stream have of the answer, beside its choices. */
const PASSED_ON = [
  'id',
  'provider',
  'usage',
  'x_groq',
  'service_tier',
  'system_fingerprint',
  'prompt',
  'timings',
  'stats',
  'error',
  'base_resp',
  'output_sensitive',
]

function joinedLegacy(chunks: readonly Fields[]): Fields {
  const choices = chunks.map(chunk => fields(list(chunk.choices)[0]))
  const ended = choices.findLast(choice => choice?.finish_reason != null)
  const usage = chunks.findLast(chunk => chunk.usage != null)?.usage
  return {
    ...chunks[0],
    usage,
    choices: [
      {
        text: choices.map(choice => textOf(choice?.text)).join(''),
        finish_reason: ended?.finish_reason ?? UNFINISHED,
      },
    ],
  }
}

/** Adds a further piece of a call to the one that began it, by its index. */
function joinCall(calls: Map<unknown, Fields>, piece: unknown): void {
  const { index, function: called, ...rest } = fields(piece) ?? {}
  const part = fields(called)
  const started = calls.get(index)
  if (started === undefined) {
    calls.set(index, { ...rest, index, function: { ...part } })
    return
  }
  const whole = fields(started.function)
  if (whole !== undefined && filled(part?.arguments))
    whole.arguments = `${textOf(whole.arguments)}${part.arguments}`
}

/** A completion has `finish_reason` next to `text`; a customer's own list of choices has none. */
function readLegacy(body: Fields, choice: Fields) {
  if (body.object !== 'text_completion' && typeof choice.finish_reason !== 'string') return undefined
  const gathered = new Gathered().add(choice.text)
  gathered.host = hostOfChat(body)
  return gathered.completion(
    'openai_completion',
    body.model,
    finishIn(body, choice),
    countsIn(body, gathered),
  )
}

/** The finish word, unless a gateway, or the host beside it, names a fault. */
function finishIn(body: Fields, choice: Fields | undefined): Finish {
  const said = finishOf(choice?.finish_reason ?? choice?.finishReason)
  const error = choice?.error ?? body.error ?? statusOf(body)
  const own = [
    // A gateway passes on words of every provider, of which those that are not known say nothing.
    knownFinish(choice?.native_finish_reason),
    error == null ? undefined : finishOfError(error),
    isFiltered(body, choice) ? ('content_filter' as const) : undefined,
  ]
  return own.reduce<Finish>(worse, said)
}

/** MiniMax's status, if it is one of an error. */
function statusOf(body: Fields): unknown {
  const status = fields(body.base_resp)
  return typeof status?.status_code === 'number' && status.status_code !== 0 ? status : undefined
}

/** Azure's filter may stop an answer after its finish was sent; MiniMax marks what its filter found. */
function isFiltered(body: Fields, choice: Fields | undefined): boolean {
  if (body.output_sensitive === true) return true
  const found = fields(choice?.content_filter_results)
  return found !== undefined && Object.values(found).some(one => fields(one)?.filtered === true)
}

function countsIn(body: Fields, gathered: Gathered): Counts | undefined {
  const usage = fields(body.usage) ?? fields(fields(body.x_groq)?.usage)
  if (usage === undefined) return undefined
  const billed_micro = billIn(body)
  return {
    ...chatCounts(usage, gathered),
    ...tierOf(body.service_tier ?? body.serviceTier),
    ...(billed_micro !== undefined && { billed_micro }),
  }
}
