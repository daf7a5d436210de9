// The steps of an item as a waterfall; each opens to its input and output, which the page has of one step and fetches of
// others. Guarantee: everything drawn is also in words; each attempt has its own time scale, since hours may lie between
// two attempts.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { type Message, readAnswer, readPrompt } from '../../../shared/providers/rules/conversation.ts'
import { reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { billedWords } from '../../../shared/view/cost.ts'
import { reasonWords } from '../../../shared/view/reason.ts'
import { textWithoutMarks } from '../../../shared/view/recorded.ts'
import { ofItem } from '../shell/addresses.ts'
import { OnOpen } from './later.tsx'
import { Messages, markdownIn } from './messages.tsx'
import { Folded, Payload } from './payload.tsx'
import type { TraceStep } from './record.ts'
import { count, counted, money, span, Verdict } from './text.tsx'
import { type View, type Viewing, ViewLinks } from './views.tsx'

interface TraceProps {
  steps: readonly TraceStep[]
  /** The step that a link asked for. */
  asked: number | undefined
  /** The step that is open where no link asked for one. */
  open: number | undefined
  /** Whether the item can be replayed from one of them. */
  canReplay: boolean
  /** How the open step's texts are shown; `link` leads to the page with a step open and its texts shown in a view. */
  view: View | undefined
  link(step_no: number, view: View | undefined): string
}

export const Trace = ({ steps, asked, open, canReplay, view, link }: TraceProps) => (
  <div class="trace">
    {[...Map.groupBy(steps, step => step.attempt)].map(([attempt, own]) => {
      const axis = axisOf(own)
      return (
        <>
          <h3>
            {attempt === 0 ? 'Taken over from the item it replays' : `Attempt ${attempt}`}{' '}
            <span class="dim">
              {attempt === 0 ? `${counted(own.length, 'step')}, not paid again` : span(axis.length_ms)}
            </span>
          </h3>
          <div data-rows>
            {own.map(step => (
              <OneStep
                step={step}
                axis={axis}
                isOpen={step.step_no === (asked ?? open)}
                canReplay={canReplay}
                view={view}
                link={one => link(step.step_no, one)}
              />
            ))}
          </div>
        </>
      )
    })}
  </div>
)

interface Axis {
  start_ms: number
  length_ms: number
}

function axisOf(steps: readonly TraceStep[]): Axis {
  const start_ms = Math.min(...steps.map(step => Date.parse(step.started_at)))
  const end_ms = Math.max(...steps.map(step => Date.parse(step.started_at) + step.duration_ms))
  return { start_ms, length_ms: Math.max(1, end_ms - start_ms) }
}

const WIDTH = 1000
const LEAST = 5 // of WIDTH, so that the shortest step can be seen

interface StepProps {
  view: View | undefined
  link(view: View | undefined): string
  step: TraceStep
  axis: Axis
  isOpen: boolean
  canReplay: boolean
}

const OneStep = ({ step, axis, isOpen, canReplay, view, link }: StepProps) => {
  const viewing = { view, link }
  return (
    <details class="step" id={`step-${step.step_no}-row`} open={isOpen}>
      <StepSummary step={step} axis={axis} />
      <div class="step-body" id={`step-${step.step_no}`}>
        <Trouble step={step} />
        {isOpen ? (
          <section id={`step-${step.step_no}-texts`} aria-label={`Texts of ${step.key}`}>
            <Side step={step} part="input" viewing={viewing} />
            <Side step={step} part="output" viewing={viewing} />
          </section>
        ) : (
          <OnOpen
            id={`step-${step.step_no}-texts`}
            href={link(undefined)}
            label="Show what went in and out"
          />
        )}
        {canReplay && !step.reused && (
          <form class="actions" method="post" action={ofItem(step.record_id, 'replay')}>
            <input type="hidden" name="from_step" value={step.key} />
            <button>Replay from here</button>
            <span class="dim">
              This step and what follows run again; the steps before it are reused and not paid again.
            </span>
          </form>
        )}
      </div>
    </details>
  )
}

const StepSummary = ({ step, axis }: Pick<StepProps, 'step' | 'axis'>) => {
  const x = ((Date.parse(step.started_at) - axis.start_ms) / axis.length_ms) * (WIDTH - LEAST)
  const width = Math.max(LEAST, (step.duration_ms / axis.length_ms) * WIDTH)
  return (
    <summary>
      <span class="step-name">
        <Verdict of={step.outcome_status} /> <bdi>{step.key}</bdi>{' '}
        <span class="dim">
          {KINDS[step.type]}
          {step.model !== null && ` ${step.model}`}
        </span>
      </span>
      <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
        <rect
          class={step.reused ? 'fill-queued' : `fill-${step.outcome_status}`}
          x={x.toFixed(1)}
          width={Math.min(width, WIDTH - x).toFixed(1)}
          height="10"
        />
      </svg>
      <span class="step-figures">
        <span>{span(step.duration_ms)}</span>
        <span>{tokensOf(step)}</span>
        <span>{step.reused ? 'reused' : costOf(step)}</span>
      </span>
    </summary>
  )
}

const KINDS: Record<TraceStep['type'], string> = {
  llm_call: 'model call',
  tool_call: 'tool call',
  tool_result: 'tool result',
  step: 'step',
}

const tokensOf = ({ input_tokens, output_tokens }: TraceStep) =>
  input_tokens + output_tokens > 0 ? `${count(input_tokens)} → ${count(output_tokens)} tokens` : ''

function costOf(step: TraceStep): string {
  const { cost_usd, unpriced, billed } = step
  if (unpriced) return cost_usd > 0 ? `at least ${money(cost_usd)}` : 'no known price'
  if (billed) return `${money(cost_usd)}, ${billedWords(step)}`
  return cost_usd > 0 ? money(cost_usd) : ''
}

const Trouble = ({ step }: { step: TraceStep }) => (
  <>
    {step.reused && (
      <p>
        Reused, not paid again: it was recorded for the item that this one replays, where it took{' '}
        {span(step.duration_ms)}.
      </p>
    )}
    {step.error_code !== null && (
      <p class="trouble">
        <b>{step.error_code}</b> <bdi>{step.error_message}</bdi>
      </p>
    )}
    {step.error_code === null && step.outcome_reason !== null && (
      <p class="trouble">
        {step.outcome_status === 'ok' ? 'It may not have worked' : 'It did not work'}:{' '}
        {reasonMeaning(step.outcome_reason)}.<ReasonWords step={step} />
      </p>
    )}
    {step.unread !== null && (
      <p class="trouble">
        <b>Not graded.</b> <bdi>{step.unread}</bdi> Say what it came to with <code>read</code> of{' '}
        <code>ctx.llm</code>, or with <code>answer</code> in the protocol.
      </p>
    )}
  </>
)

const ReasonWords = ({ step }: { step: TraceStep }) => {
  const words = reasonWords(step)
  return words === undefined ? null : (
    <>
      {' '}
      Its words: <q>{words}</q>
    </>
  )
}

const SIDES = {
  input: { title: 'In', read: readPrompt, empty: 'nothing was recorded' },
  output: { title: 'Out', read: readAnswer, empty: 'nothing came back' },
} as const

interface SideProps {
  step: TraceStep
  part: keyof typeof SIDES
  viewing: Viewing
}

/** The input or output of a step: as messages where it can be read as such, and always as JSON. */
const Side = ({ step, part, viewing }: SideProps) => {
  const { title, read, empty } = SIDES[part]
  const messages = step.type === 'llm_call' ? read(step[part]) : undefined
  const raw = `${ofItem(step.record_id, `raw/${part}`)}?step=${step.step_no}&at=${encodeURIComponent(step.started_at)}`
  const json = `step-${step.step_no}-${part}-json`
  const head = headIn(step[part])
  const text = step.texts[part]
  const shown = text === undefined ? undefined : textWithoutMarks(text)
  const payload =
    head === undefined ? (
      <Payload text={shown} raw={raw} empty={empty} below={4} viewing={viewing} />
    ) : (
      <>
        <Folded text={head.head} isText={false} most={LIMITS.page_text_characters} isHead />
        <p class="payload-foot dim">
          <a href={raw}>raw</a>
        </p>
      </>
    )
  return (
    <section class="side" aria-label={`${title} of ${step.key}`}>
      <h4>{title}</h4>
      {head !== undefined && (
        <p class="dim">
          Cut at {count(bytesOf(head.head))} of {counted(head.bytes, 'byte')} when it was recorded: a step
          keeps no more.
        </p>
      )}
      {messages === undefined ? (
        payload
      ) : (
        <>
          <Conversation of={messages} viewing={viewing} />
          <details class="as-json" id={`${json}-row`} open={viewing.view === 'json'}>
            <summary>As JSON</summary>
            {viewing.view === 'json' ? (
              <section id={json} aria-label={`${title} of ${step.key} as JSON`}>
                {payload}
              </section>
            ) : (
              <OnOpen id={json} href={viewing.link('json')} label="Show the JSON" />
            )}
          </details>
        </>
      )}
    </section>
  )
}

const Conversation = ({ of, viewing }: { of: readonly Message[]; viewing: Viewing }) => {
  const found = markdownIn(of)
  const isText = found.size === 0 || viewing.view === 'text'
  return (
    <>
      <Messages of={of} most={LIMITS.page_text_characters} rendered={isText ? new Set() : found} />
      {found.size > 0 && (
        <p class="payload-foot dim">
          Shown as
          <ViewLinks of={['markdown', 'text']} shown={isText ? 'text' : 'markdown'} link={viewing.link} />
        </p>
      )}
    </>
  )
}

const Head = z.object({ cut: z.literal(true), bytes: z.number(), head: z.string() })

/** What was kept of a payload over the bound of a step; undefined for one that was kept whole. */
const headIn = (value: unknown) => Head.safeParse(value).data

const bytesOf = (text: string) => new TextEncoder().encode(text).length
