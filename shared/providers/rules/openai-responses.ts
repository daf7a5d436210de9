// Reads responses of OpenAI and of providers in its format (xAI, Hugging Face, Azure).

import {
  type Counts,
  type Fields,
  type Finish,
  fields,
  Gathered,
  list,
  type Shape,
  textOf,
} from './answer.ts'
import { finishOfError, finishOfStatus, worse } from './finish-words.ts'
import { responsesCounts, tierOf } from './raw-usage.ts'

export const openaiResponses: Shape = {
  read(body) {
    if (body.object !== 'response') return undefined
    const gathered = gatherItems(body.output)
    if (gathered.text === '' && typeof body.output_text === 'string') gathered.text = body.output_text
    return gathered.completion(
      'openai_responses',
      body.model,
      finishOf(body, gathered),
      countsIn(body, gathered),
    )
  },
  messages: body =>
    body.object === 'response' && Array.isArray(body.output)
      ? body.output.map(one => fields(one) ?? {})
      : undefined,
  /** The last events of a stream contain the whole response. */
  join(pieces) {
    if (!pieces.some(piece => typeof piece.type === 'string' && piece.type.startsWith('response.')))
      return undefined
    const last = fields(pieces.findLast(piece => fields(piece.response) !== undefined)?.response)
    if (last !== undefined && last.status !== 'in_progress' && last.status !== 'queued') return last
    // The stream closed before its end: what was said stands in its pieces alone.
    const said = pieces.filter(({ type }) => type === 'response.output_text.delta')
    return {
      object: 'response',
      status: 'in_progress',
      ...last,
      output_text: said.map(({ delta }) => textOf(delta)).join(''),
    }
  },
}

/** Calls that the provider runs itself; without text after them, the model has not answered. */
const PROVIDER_RUN_CALLS = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'mcp_call',
])

export function gatherItems(output: unknown): Gathered {
  const gathered = new Gathered()
  for (const entry of list(output)) {
    const item = fields(entry)
    const type = typeof item?.type === 'string' ? item.type : ''
    if (type === 'message') gathered.add(item?.content)
    else if (type === 'image_generation_call') gathered.has_data = true
    else if (type === 'mcp_approval_request') gathered.has_tool_calls = true
    else if (type === 'function_call') gathered.call(item)
    else if (type.endsWith('_call') && !PROVIDER_RUN_CALLS.has(type)) gathered.has_tool_calls = true
  }
  return gathered
}

function countsIn(body: Fields, gathered: Gathered): Counts | undefined {
  const usage = fields(body.usage)
  if (usage === undefined) return undefined
  const items = list(body.output).map(item => fields(item)?.type)
  const counts = responsesCounts(usage, gathered)
  const searches = items.filter(type => type === 'web_search_call').length
  return {
    ...counts,
    searches: searches || (counts.searches ?? 0),
    ...tierOf(body.service_tier ?? body.serviceTier),
    ...(items.some(type => UNCOUNTED.has(type)) && { is_partial: true }),
  }
}

/** What is billed beside the tokens: another model's image, a search in files by its call, a container by its time. */
const UNCOUNTED = new Set<unknown>([
  'image_generation_call',
  'file_search_call',
  'code_interpreter_call',
  'shell_call',
])

function finishOf(body: Fields, gathered: Gathered): Finish {
  const finish = finishOfResponse(body) ?? 'stop'
  return finish === 'stop' && gathered.has_tool_calls ? 'tool_calls' : finish
}

/** What a response says of its end: by its error, its status, and why it is incomplete. Undefined if nothing. */
export function finishOfResponse({ error, status, incomplete_details }: Fields): Finish | undefined {
  if (status === undefined) return undefined
  const reason = fields(incomplete_details)?.reason
  const said = finishOfStatus('openai_responses', status)
  if (status === 'incomplete') return reason == null ? said : finishOfStatus('openai_responses', reason)
  return worse(said, error == null ? undefined : finishOfError(error))
}
