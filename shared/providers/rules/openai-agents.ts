// Reads answers of OpenAI's Agents SDK, for Python and for JavaScript: a response, or the result of a run with all of
// them.

import {
  type CompletionUsage,
  type Counts,
  type Fields,
  type Finish,
  fields,
  type Gathered,
  list,
  type Shape,
  some,
} from './answer.ts'
import { billOf } from './bills.ts'
import { summed } from './counts.ts'
import { worse } from './finish-words.ts'
import { finishOfResponse, gatherItems } from './openai-responses.ts'
import { responsesCounts, tierOf } from './raw-usage.ts'

export const openaiAgents: Shape = {
  read(body, inner) {
    const responses = responsesOf(body)
    const last = responses?.at(-1)
    if (responses === undefined || last === undefined) return undefined
    const gathered = gatherItems(last.output)
    const final = body.final_output ?? body.finalOutput
    if (gathered.text === '' && typeof final === 'string') gathered.text = final
    gathered.has_data ||= typeof final === 'object' && final !== null
    return gathered.completion(
      'openai_agents',
      fields(last.providerData)?.model ?? last.model,
      finishIn(last, gathered, inner(last.providerData)?.finish),
      countsOfAll(responses, gathered),
    )
  },
  messages: body =>
    responsesOf(body)?.flatMap(response => list(response.output).map(item => fields(item) ?? {})),
}

/** The SDK has no word for the end: the provider's own answer has, where it is kept, and so have the items. */
function finishIn(response: Fields, gathered: Gathered, own: Finish | undefined): Finish {
  const item = list(response.output)
    .map(fields)
    .findLast(one => one?.type === 'message' || one?.type === 'function_call')
  const reported = own ?? finishOfResponse(fields(response.providerData) ?? {})
  const finish = worse(gathered.has_tool_calls ? 'tool_calls' : 'stop', reported)
  return worse(
    finish,
    item?.status === 'incomplete' || item?.status === 'in_progress' ? 'interrupted' : undefined,
  )
}

/** Responses of the model: the only one, or those of a run. */
function responsesOf(body: Fields): Fields[] | undefined {
  if (isResponse(body)) return [body]
  const raw = list(body.raw_responses ?? body.rawResponses ?? body.modelResponses).map(
    one => fields(one) ?? {},
  )
  return raw.length > 0 && raw.every(isResponse) ? raw : undefined
}

function isResponse(body: Fields): boolean {
  const usage = fields(body.usage)
  if (!Array.isArray(body.output) || usage === undefined) return false
  const isNamed = 'response_id' in body || 'responseId' in body
  if (body.output.length === 0) return isNamed
  return (isNamed || usage.requests !== undefined) && body.output.some(isItem)
}

/** Whether it is an item of the model's output; a customer's own list of outputs has rows. */
function isItem(item: unknown): boolean {
  const { type, content } = fields(item) ?? {}
  if (type === 'message') return content !== undefined
  return typeof type === 'string' && (type === 'reasoning' || /_(?:call|request)$/.test(type))
}

function countsOfAll(responses: readonly Fields[], gathered: Gathered): Counts | undefined {
  const known = responses.map(response => {
    const reported = fields(response.usage) ?? {}
    const own = fields(response.providerData)
    const details = reported.input_tokens_details ?? reported.inputTokensDetails
    const said = reported.output_tokens_details ?? reported.outputTokensDetails
    const [input] = Array.isArray(details) ? details : [details]
    const [output] = Array.isArray(said) ? said : [said]
    const counts = responsesCounts(
      { ...reported, input_tokens_details: input, output_tokens_details: output },
      gathered,
    )
    const requests = requestsOf(reported, counts.input_tokens ?? 0)
    const billed_micro = billOf(fields(own?.usage))
    return gathered.usage(
      {
        ...counts,
        ...tierOf(own?.service_tier),
        ...(billed_micro !== undefined && requests === 1 && { billed_micro }),
        ...(requests > 1 && { calls: requests }),
      },
      some(response.output) ? 'text' : 'nothing',
    )
  })
  return summedRequests(known.filter(usage => usage !== undefined))
}

/** A response may be the sum of several requests itself. */
function summedRequests(usages: readonly CompletionUsage[]): CompletionUsage | undefined {
  const sum = summed(usages)
  const calls = usages.reduce((all, usage) => all + (usage.calls ?? 1), 0)
  if (sum === undefined || calls < 2) return sum
  const longest = usages.map(({ input_tokens, calls = 1 }) => Math.ceil(input_tokens / calls))
  return { ...sum, calls, longest_input_tokens: longest.reduce((most, one) => Math.max(most, one), 0) }
}

/** How many requests the usage is of: one, unless it is a sum over several, each with at least one token. */
function requestsOf(reported: Fields | undefined, input_tokens: number): number {
  const requests = reported?.requests
  const isCount = typeof requests === 'number' && Number.isInteger(requests) && requests > 1
  return isCount && requests <= input_tokens ? requests : 1
}
