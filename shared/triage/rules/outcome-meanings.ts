// Explains why an item did not work, and what a person can do about it. A reason that lacks either does not compile.

import type { OutcomeReason } from '../../grading/vocabulary.ts'
import { ITEM_ERROR_MEANINGS } from '../../items/rules/error-meanings.ts'
import type { ItemErrorCode } from '../../items/vocabulary.ts'
import { CALLED_WRONG } from './verdicts.ts'

interface Meaning {
  means: string
  next: string
}

const MEANINGS: Record<OutcomeReason | typeof CALLED_WRONG, Meaning> = {
  [CALLED_WRONG]: {
    means: 'somebody called it wrong',
    next: 'Read its output. Fix the prompt or the agent, deploy and replay; or dismiss the item.',
  },
  refusal: {
    means: 'the model refused',
    next: 'Read its answer below. Where it is wrong to refuse, change the prompt, deploy and replay; where it is right, dismiss the item.',
  },
  suspected_refusal: {
    means: 'the model may have refused',
    next: "Read its answer below. Where such answers are refusals, declare refusals: 'balanced' and deploy.",
  },
  template_leak: {
    means: 'the answer holds tokens of a chat template or a tool call as text',
    next: 'The model is asked with another template than its own, its server does not read its tool calls, or it does not stop: see how the call is made, then replay.',
  },
  repeats: {
    means: 'the answer repeats itself to its end',
    next: 'Replay once. If it repeats itself again, raise the temperature or the penalty, or take another model.',
  },
  cut_json: {
    means: 'the answer is JSON that does not end or calls a tool with such JSON',
    next: 'Raise the limit of that call or ask for less, deploy, then replay.',
  },
  fenced_json: {
    means: 'the answer is JSON in a fence or behind a sentence',
    next: 'Ask for JSON by the format option of the call, or take it out of the fence, deploy, then replay.',
  },
  asks_back: {
    means: 'the model asks for what it should have been given',
    next: 'See whether the input reached the prompt; fix the item or the agent, then replay.',
  },
  cannot_look_up: {
    means: 'the model says that it cannot look things up',
    next: 'Give it what it needs, by its prompt or by a tool, deploy, then replay.',
  },
  placeholders: {
    means: 'the answer leaves placeholders to be filled in',
    next: 'Give the prompt what belongs there, deploy, then replay.',
  },
  echoes_prompt: {
    means: 'the answer repeats its prompt',
    next: 'See whether the model is one that follows instructions, and whether its prompt says what to do; then replay.',
  },
  wrong_language: {
    means: 'the answer is in another language than its agent declares',
    next: 'Name the language in the prompt, last and in that language itself, deploy, then replay.',
  },
  empty_output: {
    means: 'the output is empty',
    next: 'Read the last model call below. Replay once; if it stays empty, the prompt or the agent needs a change.',
  },
  truncated: {
    means: 'the answer was cut off at a token limit',
    next: 'Raise the limit of that call in the agent or ask for less, deploy, then replay: the steps before it are reused.',
  },
  interrupted: {
    means: 'the provider says that the answer did not end well',
    next: 'Most of these pass: replay. If it comes again, look at the finish word in the answer below: a tool call that the model writes wrongly needs another prompt or model.',
  },
  content_filter: {
    means: 'a content filter stopped the answer',
    next: 'The provider will probably stop it again. Change the input or the prompt, or take another model; otherwise dismiss the item.',
  },
  schema_mismatch: {
    means: 'the output does not match the declared schema',
    next: 'Compare the output with the schema; fix the agent or the schema, deploy, then replay.',
  },
  agent_degraded: {
    means: 'the agent marked it degraded',
    next: 'Its own words say why. Decide by hand: dismiss it if the output will do, replay it otherwise.',
  },
  step_error: {
    means: 'a step failed',
    next: 'Look at the failed step below. Fix what it called, then replay: the steps that worked are reused.',
  },
  agent_error: {
    means: 'the agent raised an error',
    next: 'Fix the agent, deploy, then replay: the steps that worked are reused.',
  },
  provider_error: {
    means: 'the model provider answered with an error',
    next: 'Most of these pass: replay. If many items failed the same way, wait until the provider is well and replay all of them.',
  },
  transport_error: {
    means: 'the agent could not be reached or died',
    next: 'See that the agent runs and has enough memory, then replay.',
  },
  limit_exceeded: {
    means: 'a limit was exceeded',
    next: 'Raise the limit in the agent or give it less to do, deploy, then replay.',
  },
  budget_exceeded: {
    means: 'its budget was used up',
    next: 'Replay or resume it with more money, or leave it.',
  },
  unpriced_model: {
    means: 'a model without a price was called under a budget',
    next: 'Set the price where there is none (assay prices set); the item then continues. Or resume it, and its run continues without a price.',
  },
}

/** @example reasonMeaning('refusal') // 'the model refused' */
export const reasonMeaning = (reason: string): string =>
  MEANINGS[reason as keyof typeof MEANINGS]?.means ?? reason

/** What a replay that changes nothing ends by again, and what has to change first. */
const FAILS_AGAIN: Partial<Record<ItemErrorCode, string>> = {
  invalid_input:
    'fails again: its input does not fit what the agent takes. Change the input, or deploy an agent that takes it',
  schema_check_limit:
    'probably fails again: checking it against its schema takes too long. Deploy a simpler schema, or change the input',
  output_too_large:
    'probably fails again: its output is larger than an output may be. Deploy an agent that returns less',
}

/**
 * What to expect of a replay with the input and the code that the item ended with; undefined where it may work. It holds
 * only while that code is the agent's current one: a replay runs with the code of now.
 */
export const failsAgain = ({ error_code }: { error_code: string | null }): string | undefined =>
  Object.hasOwn(FAILS_AGAIN, error_code ?? '') ? FAILS_AGAIN[error_code as ItemErrorCode] : undefined

/** An agent that refused an input refuses the same input again. */
const INVALID_INPUT = 'The input does not fit what the agent takes. Replay it with an input that does.'

/** What to do about an item that did not work; undefined when its reason is unknown. */
export function nextOf(item: {
  outcome_reason: string | null
  error_code: string | null
}): string | undefined {
  if (item.error_code === 'invalid_input') return INVALID_INPUT
  return MEANINGS[item.outcome_reason as keyof typeof MEANINGS]?.next
}

/** What an error code of an item means; undefined for an agent's own. */
export const itemErrorMeaning = (code: string): string | undefined =>
  Object.hasOwn(ITEM_ERROR_MEANINGS, code) ? ITEM_ERROR_MEANINGS[code as ItemErrorCode] : undefined
