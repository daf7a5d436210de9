// Reads answers of LangChain and LangGraph, for Python and for JavaScript: a message, as an object, as `dumps` and
// JSON.stringify write it (`kwargs`), or as `message_to_dict` does (`data`); a result of generate; and the messages of
// a graph's state.

import { OWN_HOST } from '../../prices/rules/own-models.ts'
import {
  type Completion,
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
import { billInHeaders, billOf } from './bills.ts'
import { summed } from './counts.ts'
import { finishOfError, UNFINISHED, worse } from './finish-words.ts'
import { hostOfChat, hostOfClient } from './hosts.ts'
import { finishOfResponse } from './openai-responses.ts'
import { countsOf, tierOf } from './raw-usage.ts'

export const langchain: Shape = {
  read(body) {
    const said = answersOf(body)
    return said && readLast(said)
  },
  messages(body) {
    return answersOf(body)?.map(({ content, tool_calls, additional_kwargs }) => ({
      role: 'assistant',
      content,
      tool_calls: some(tool_calls) ? tool_calls : fields(additional_kwargs)?.tool_calls,
    }))
  },
  join(pieces) {
    const chunks = pieces.map(messageOf)
    if (chunks.length === 0 || chunks.some(chunk => chunk === undefined)) return undefined
    const whole: Fields = { response_metadata: {}, type: 'ai' }
    const gathered = new Gathered()
    const tool_calls: Fields[] = []
    const usage: Fields = {}
    const metadata = whole.response_metadata as Fields
    for (const chunk of chunks as Fields[]) {
      gathered.add(chunk.content)
      for (const call of list(chunk.tool_call_chunks ?? chunk.tool_calls)) joinCall(tool_calls, call)
      Object.assign(metadata, fields(chunk.response_metadata))
      for (const [name, value] of Object.entries(fields(chunk.usage_metadata) ?? {}))
        usage[name] =
          typeof value === 'number' && typeof usage[name] === 'number' ? value + usage[name] : value
    }
    const { text } = gathered
    const hasUsage = Object.keys(usage).length > 0
    // A provider's last pieces have its finish or its tokens; models of one's own may have neither.
    if (filled(metadata.model_provider) && !hasUsage && reasonOf(metadata) == null)
      metadata.finish_reason = UNFINISHED
    return {
      ...whole,
      content: text,
      tool_calls,
      ...(hasUsage && { usage_metadata: usage }),
    }
  },
}

/** Adds a further piece of a call to the one that it continues: it has no name of its own. */
function joinCall(calls: Fields[], piece: unknown): void {
  const part = fields(piece) ?? {}
  const open = filled(part.name) ? undefined : calls.findLast(({ index }) => index === part.index)
  if (open === undefined) calls.push({ ...part })
  else if (filled(part.args)) open.args = `${textOf(open.args)}${part.args}`
}

/** The model's own message without its wrapping; undefined if the object has none. */
function messageOf(body: Fields): Fields | undefined {
  if (body.lc === 1 && body.type === 'constructor') {
    const name = list(body.id).at(-1)
    return name === 'AIMessage' || name === 'AIMessageChunk' ? fields(body.kwargs) : undefined
  }
  const inner = body.type === 'ai' || body.type === 'AIMessageChunk' ? fields(body.data) : undefined
  const message = inner ?? body
  if (!('content' in message) || fields(message.response_metadata) === undefined) return undefined
  const { type } = message
  return type === undefined || type === 'ai' || type === 'AIMessageChunk' ? message : undefined
}

/** The model's messages: the object itself, or those in a parsed result (`raw`), in `generations`, or of a graph. */
function answersOf(body: Fields): Fields[] | undefined {
  const message = messageOf(body)
  if (message !== undefined) return [message]
  const wrapped: readonly unknown[] = Array.isArray(body.generations)
    ? body.generations.flat(1).map(messageOfGeneration)
    : 'parsed' in body
      ? [body.raw]
      : list(body.messages)
  const said = wrapped.map(one => messageOf(fields(one) ?? {})).filter(one => one !== undefined)
  return said.length > 0 ? said : undefined
}

/** The message of a generation. Some models report its finish next to it alone. */
function messageOfGeneration(generation: unknown): unknown {
  const one = fields(generation)
  const message = messageOf(fields(one?.message) ?? {})
  const info = fields(one?.generation_info) ?? fields(one?.generationInfo)
  if (message === undefined || info === undefined) return one?.message
  return { ...message, response_metadata: { ...info, ...fields(message.response_metadata) } }
}

/** Reads the last message, with the usage of all of them. */
function readLast(said: readonly Fields[]): Completion {
  const message = said.at(-1)!
  const metadata = fields(message.response_metadata)
  const extra = fields(message.additional_kwargs)
  const gathered = new Gathered().add(message.content)
  const refusal = extra?.refusal ?? metadata?.refusal
  if (filled(refusal)) gathered.refusal = refusal
  for (const calls of [message.tool_calls, extra?.tool_calls, message.invalid_tool_calls])
    gathered.calls(calls)
  if (extra?.function_call != null) gathered.call(extra.function_call)
  const model = metadata?.model_name ?? metadata?.model ?? metadata?.modelId ?? metadata?.ls_model_name
  const finish = finishIn({ ...extra, ...metadata }, gathered)
  gathered.host = hostIn(metadata)
  return gathered.completion('langchain', model, finish, countsOfAll(said, gathered))
}

/** The finish word under its provider's name for it. */
const reasonOf = (metadata: Fields): unknown =>
  metadata.finish_reason ??
  metadata.stop_reason ??
  metadata.finishReason ??
  metadata.stopReason ??
  fields(metadata.messageStop)?.stopReason ??
  metadata.done_reason

/** The finish word of the provider, or what OpenAI's responses and Gemini say in other fields. */
function finishIn(metadata: Fields, gathered: Gathered): Finish {
  if (isBlocked(metadata)) return 'content_filter'
  const reason = reasonOf(metadata)
  const said = reason == null ? (finishOfResponse(metadata) ?? 'other') : finishOf(reason)
  const finish = worse(said, metadata.error == null ? undefined : finishOfError(metadata.error))
  return gathered.has_tool_calls && (finish === 'other' || finish === 'stop') ? 'tool_calls' : finish
}

function isBlocked(metadata: Fields): boolean {
  if (metadata.is_blocked === true) return true
  const feedback = fields(metadata.prompt_feedback) ?? fields(metadata.promptFeedback)
  return finishOf(feedback?.block_reason ?? feedback?.blockReason) === 'content_filter'
}

/** All calls of a graph are billed, at the rates of the longest. */
function countsOfAll(said: readonly Fields[], gathered: Gathered): Counts | undefined {
  if (said.length === 1) return countsIn(said[0]!, gathered)
  const calls = said.map(message => {
    const hasCalls = some(message.tool_calls)
    const content = hasCalls || some(message.content) || filled(message.content) ? 'text' : 'nothing'
    return gathered.usage(countsIn(message, gathered), content)
  })
  const known = calls.filter(call => call !== undefined)
  const sum = summed(known)
  return sum && { ...sum, ...(known.length < calls.length && { is_partial: true }) }
}

/** The counts of the provider itself, where the message keeps them, before LangChain's. */
function countsIn(message: Fields, gathered: Gathered): Counts | undefined {
  const metadata = fields(message.response_metadata)
  const usage = fields(message.usage_metadata)
  const kept = [metadata?.usage, metadata?.token_usage, metadata?.usage_metadata, metadata?.usageMetadata]
    .map(one => fields(one))
    .filter(one => one !== undefined)
  const own = kept.map(one => countsOf(one, gathered)).find(counts => counts?.input_tokens !== undefined)
  const theirs = usage && metadataCounts(usage, gathered)
  const counts = own
    ? { ...theirs, total_tokens: 0, ...counted(own) }
    : (theirs ?? countsOf(fields(metadata?.tokenUsage), gathered))
  if (counts === undefined) return undefined
  const bills = [...kept, usage, metadata].map(billOf)
  bills.push(billInHeaders(metadata?.headers))
  const billed_micro = counts.billed_micro ?? bills.find(bill => bill !== undefined)
  return {
    ...tierOf(metadata?.service_tier ?? metadata?.serviceTier),
    searches: gathered.count(metadata, 'num_search_queries'),
    ...(filled(metadata?.search_context_size) && { search_context: metadata.search_context_size }),
    ...counts,
    ...(billed_micro !== undefined && { billed_micro }),
  }
}

/** What is not zero: some keep the provider's counts without their details. */
const counted = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([name, value]) => value || name === 'billed_micro'))

/** Tiers by which LangChain names parts of the tokens. */
const NAMED_TIERS = ['flex', 'priority']

function metadataCounts(usage: Fields, gathered: Gathered): Counts {
  const input = fields(usage.input_token_details)
  const output = fields(usage.output_token_details)
  const tier = NAMED_TIERS.find(name => input?.[name] != null || output?.[name] != null)
  const named = (part: string) => [part, ...NAMED_TIERS.map(name => `${name}_${part}`)]
  const hour = gathered.count(input, 'ephemeral_1h_input_tokens')
  // Where these two are reported apart, their sum may be reported as zero.
  const written = hour + gathered.count(input, 'ephemeral_5m_input_tokens')
  return {
    input_tokens: gathered.known(usage, 'input_tokens'),
    output_tokens: gathered.known(usage, 'output_tokens'),
    total_tokens: gathered.count(usage, 'total_tokens'),
    thinking_tokens: gathered.count(output, ...named('reasoning')),
    cached_input_tokens: gathered.count(input, ...named('cache_read')),
    cache_write_tokens: gathered.count(input, 'cache_creation') || written,
    cache_write_1h_tokens: hour,
    input_audio_tokens: gathered.count(input, 'audio'),
    output_audio_tokens: gathered.count(output, 'audio'),
    input_image_tokens: gathered.count(input, 'image'),
    output_image_tokens: gathered.count(output, 'image'),
    citation_tokens: gathered.count(output, 'citation_tokens'),
    ...tierOf(tier),
  }
}

/** Who served the model, by what LangChain or the server says. */
function hostIn(metadata: Fields | undefined): string | undefined {
  if (metadata === undefined) return undefined
  const isOllama = metadata.total_duration !== undefined && metadata.eval_count !== undefined
  return isOllama ? OWN_HOST : (hostOfClient(metadata.model_provider) ?? hostOfChat(metadata))
}
