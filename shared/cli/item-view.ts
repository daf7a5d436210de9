// Shows an item: its record with the verdict in words, and its trace as a tree of attempts and steps.

import { readCompletion, wholeOf } from '../providers/rules/completion.ts'
import { sayAuthor, sayDisposition } from '../recovery/rules/recovery.ts'
import { billedWords } from '../view/cost.ts'
import { reasonWords } from '../view/reason.ts'
import { withoutMarks } from '../view/recorded.ts'
import { sayReused } from '../view/recovery.ts'
import { sayGraded, saySuspected, sayUnchanged } from '../view/run.ts'
import type { ItemRecord, Schemas, Step } from './api.ts'
import { brief, clean, count, duration, minute, pad, plural, spend, widthOf } from './format.ts'
import type { Screen } from './output.ts'
import { outcomeStyle, reasonInWords, whyOf } from './verdict.ts'

export function itemText(item: ItemRecord, steps: Step[], screen: Screen): string {
  return `${recordText(item, screen)}\n\n${traceText(steps, screen)}`
}

export function recordText(item: ItemRecord, screen: Screen): string {
  const { paint, columns } = screen
  const label = (text: string) => paint('dim', pad(text, 9))
  const verdict = item.outcome_status ?? 'no verdict yet'
  const why = whyOf(item)
  const reason = reasonInWords(item.outcome_reason)
  const named =
    reason !== undefined && item.outcome_reason !== null ? `${reason} (${item.outcome_reason})` : undefined
  const took =
    item.started_at && item.completed_at
      ? ` in ${duration(Date.parse(item.completed_at) - Date.parse(item.started_at))}`
      : ''
  const room = columns - 10
  return [
    `${label('item')}${paint('bold', clean(item.item_id))}${item.partition_key === null ? '' : `  partition ${clean(item.partition_key)}`}`,
    `${label('id')}${item.id}`,
    `${label('run')}${item.run_id}  agent ${item.agent_slug}${item.code_version === null ? '' : `, code ${clean(item.code_version)}`}, line ${item.line}`,
    `${label('ran')}${item.status}${took}, ${plural(item.attempt, 'attempt')}, ${plural(item.step_count, 'step')}`,
    `${label('worked')}${paint(outcomeStyle(item.outcome_status), verdict)}${named === undefined ? '' : `: ${named}`}`,
    ...(item.unread_call_count > 0
      ? [`${label('unread')}${sayGraded(item)}; the steps below say what was found`]
      : []),
    ...(item.suspected_call_count > 0
      ? [`${label('suspected')}${saySuspected(item)} of being refusals; the steps below say by which words`]
      : []),
    ...(why !== '' && why !== reason ? [`${label('why')}${clean(why)}`] : []),
    `${label('cost')}${spend(item.cost_usd, item.unpriced)} · ${count(item.total_input_tokens)} tokens in · ${count(item.total_output_tokens)} out${item.unpriced ? ' · a call whose cost is not known' : ''} · list prices of ${item.prices_as_of}`,
    ...(item.replayed_from === null ? [] : [`${label('replays')}${item.replayed_from}`]),
    `${label('input')}${brief(item.input_snapshot, room)}`,
    `${label('output')}${item.output == null ? paint('dim', 'none') : brief(item.output, room)}`,
  ].join('\n')
}

/** The command-line name of an action. */
export const verbOf = (action: string) => (action === 'acknowledge' ? 'ack' : action)

/** Who said it, while nothing is decided about that. */
const saidBy = ({ disposition, decided_by, decided_at }: Schemas['ItemWithDecision']) =>
  disposition !== null || decided_at === null
    ? ''
    : ` (${[decided_by, minute(decided_at)].filter(Boolean).join(', ')})`

const decisionOf = (
  { decided_by, decided_at }: Schemas['ItemWithDecision'],
  disposition: NonNullable<Schemas['ItemWithDecision']['disposition']>,
) =>
  `${sayDisposition(disposition)}${sayAuthor(disposition, decided_by)}${decided_at ? `, ${minute(decided_at)}` : ''}`

/** Decisions about an item that did not work, and the commands for the next one. */
export function decisionText(item: Schemas['ItemWithDecision'], { paint, program }: Screen): string {
  const lines = [
    ...(item.reused_versions.length === 0
      ? []
      : [`${paint('dim', 'reused')}   ${clean(sayReused(item.reused_versions))}`]),
    ...(item.unchanged ? [`${paint('dim', 'replay')}   ${sayUnchanged()}; --reuse none runs it whole`] : []),
    ...(item.corrected_outcome_status === null
      ? []
      : [
          `${paint('dim', 'people')}   say ${item.corrected_outcome_status}${clean(saidBy(item))}; results have that`,
        ]),
    ...(item.disposition === null
      ? []
      : [`${paint('dim', 'decided')}  ${clean(decisionOf(item, item.disposition))}`]),
    ...item.available_actions.map(
      action => `${paint('dim', 'next')}     ${program} ${verbOf(action)} ${item.id}`,
    ),
  ]
  return lines.length === 0 ? '' : `\n\n${lines.join('\n')}`
}

export function traceText(steps: Step[], screen: Screen): string {
  const { paint } = screen
  if (steps.length === 0) return paint('dim', 'no steps were recorded')
  const attempts = [...Map.groupBy(steps.toSorted(inOrder), step => step.attempt)]
  return attempts
    .flatMap(([attempt, own]) => [
      paint('dim', `attempt ${attempt}`),
      ...own.map((step, at) => stepText(step, at === own.length - 1, screen)),
    ])
    .join('\n')
}

const inOrder = (a: Step, b: Step) => a.attempt - b.attempt || a.step_no - b.step_no

const INDENT = 5

function stepText(step: Step, isLast: boolean, screen: Screen): string {
  const { paint, columns } = screen
  const stem = isLast ? '   ' : '│  '
  const model = step.model ?? (step.name === step.key ? undefined : step.name)
  const figures = [
    duration(step.duration_ms),
    step.input_tokens + step.output_tokens > 0 &&
      `${count(step.input_tokens)}→${count(step.output_tokens)} tokens`,
    (step.cost_usd > 0 || step.unpriced) && spend(step.cost_usd, step.unpriced),
    step.billed && billedWords(step),
    step.reused && 'reused',
  ].filter(Boolean)
  const head = [
    `${isLast ? '└─ ' : '├─ '}${paint(outcomeStyle(step.outcome_status), step.outcome_status)} ${paint('bold', clean(step.key))}`,
    paint(
      'dim',
      [step.type, model]
        .filter(Boolean)
        .map(text => clean(text!))
        .join(' '),
    ),
    figures.join('  '),
  ].join('  ')
  const reason = reasonInWords(step.outcome_reason)
  const error = step.error_code === null ? reason : `${step.error_code}: ${step.error_message ?? ''}`
  const words = reasonWords(step)
  const detail = (name: string, text: string) => `${stem}  ${paint('dim', pad(name, INDENT - 1))}${text}`
  const room = columns - widthOf(stem) - 2 - INDENT
  return [
    head,
    ...(error === undefined ? [] : [detail('why', brief(error, room))]),
    ...(words === undefined ? [] : [detail('words', brief(words, room))]),
    ...(step.unread === null ? [] : [detail('why', brief(`not graded. ${step.unread}`, room))]),
    ...(step.input == null ? [] : [detail('in', brief(withoutMarks(promptOf(step.input)), room))]),
    ...(step.output == null ? [] : [detail('out', brief(withoutMarks(answerOf(step.output)), room))]),
  ].join('\n')
}

interface Message {
  role?: string
  content?: unknown
}

/** The last message of a model call, which says more in one line than the whole request. */
function promptOf(input: unknown): unknown {
  const { messages, input: given } = (typeof input === 'object' && input !== null ? input : {}) as {
    messages?: unknown
    input?: unknown
  }
  const list = Array.isArray(messages) ? messages : Array.isArray(given) ? given : undefined
  const last = list?.at(-1) as Message | undefined
  return textOf(last?.content) ?? (typeof given === 'string' ? given : input)
}

/** The text of a model's answer, if its format is known; else the whole output. */
function answerOf(output: unknown): unknown {
  const read = readCompletion(wholeOf(output))
  return read?.text || read?.refusal || output
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = content
    .map(part => (part as { text?: unknown } | null)?.text)
    .filter(text => typeof text === 'string')
  return texts.length > 0 ? texts.join(' ') : undefined
}
