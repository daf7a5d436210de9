// The lines a consumer and an agent exchange over HTTP; PROTOCOL.md in the SDK's folder explains them.
// Guarantee: the engine and the SDK read the same types, so neither can drift from the page.

import type { DeclaredCheck, Language, RefusalChoice } from '../../grading/vocabulary.ts'
import type { StepKind } from '../../items/vocabulary.ts'
import type { ResultFormat } from '../../results/vocabulary.ts'
import type { SourceFormat } from '../../sources/vocabulary.ts'

export const PROTOCOL_VERSION = '1'
export const NDJSON = 'application/x-ndjson'

/** The keys the SDK records `ctx.hold` under. */
export const HOLD_KEY = /^hold(#\d+)?$/

/** A step of an earlier attempt that succeeded; the agent uses its output instead of running it again. */
export interface RecordedStep {
  key: string
  output: unknown
}

/**
 * A step of the item that this one replays. It stands only for a call of the same key with the same input, and using
 * it is reported with `reused`.
 */
export interface OfferedStep extends RecordedStep {
  input: unknown
}

/** One line of the request: an item on offer. */
export interface ItemLine {
  /** The item's number within its run, echoed in every line about it. */
  seq: number
  /** The fencing token: a line with another attempt is refused. */
  attempt: number
  item_id: string
  partition_key: string | null
  /** Time left to finish the item, in milliseconds. */
  timeout_ms: number
  /** After this many milliseconds the agent stops at its next step boundary and answers `yield`. */
  yield_ms: number
  /** Money left for this item, in micro-dollars; null when there is no fence. */
  budget_micro: number | null
  recorded: RecordedStep[]
  /** In a field of its own, which agents that know nothing of the condition pass over. */
  recorded_for_input?: OfferedStep[]
  /** The attempt's span, as W3C writes it: what the agent's own spans belong below. Absent where nobody collects. */
  traceparent?: string
  /** Always the last key, so that the stored text can be passed on without being parsed. */
  input: unknown
}

/** Tokens a step used, where the agent knows them; else they are read from the step's output. */
export interface StepUsage {
  model?: string
  input_tokens?: number
  output_tokens?: number
  cached_input_tokens?: number
  cache_write_tokens?: number
  input_audio_tokens?: number
  output_audio_tokens?: number
  images?: number
  searches?: number
  /** `batch`, `flex` or `priority`. */
  service_tier?: string
}

/** What a model call came to, told by an agent whose calls Assay can't read by themselves. */
export interface ModelAnswer {
  text?: string
  finish?: 'stop' | 'length' | 'content_filter' | 'refusal' | 'tool_calls' | 'other'
  /** The model's words where the provider marks a refusal. */
  refusal?: string
  /** The answer calls tools, so that it need not have a text. */
  tool_calls?: boolean
  model?: string
  usage?: Omit<StepUsage, 'model'>
  /** Why the agent could not read it either. */
  unread?: string
}

export interface StepReport {
  /** Unique within the item; names the step when a later attempt looks for its recording. */
  key: string
  kind: StepKind
  name: string
  input?: unknown
  output?: unknown
  /** It did not run: the offered step with this key was used, whose input and output the report leaves out. */
  reused?: true
  /** Present when the step failed. */
  error?: { code: string; message: string }
  started_at: string
  duration_ms: number
  usage?: StepUsage
  /** Of a model call: wins over what is read from the output. */
  answer?: ModelAnswer
}

export interface ItemError {
  code: string
  message: string
  /** False: another attempt would fail the same way, so declared retries are not spent on it. */
  retryable?: boolean
}

/** One line of the response. Each but `heartbeat` and `later` names its item by `seq` and `attempt`. */
export type AgentLine =
  | { type: 'step'; seq: number; attempt: number; step: StepReport }
  | { type: 'heartbeat' }
  | {
      type: 'result'
      seq: number
      attempt: number
      /** The agent marked its own result degraded, in its own words. */
      degraded?: string
      /** The output does not match the declared schema; says where. */
      schema_error?: string
      output: unknown
    }
  | { type: 'error'; seq: number; attempt: number; error: ItemError }
  | { type: 'hold'; seq: number; attempt: number; reason: string }
  | { type: 'yield'; seq: number; attempt: number }
  /** The last of an open answer: what items have not ended by then are answered later, as after a 202. */
  | { type: 'later' }

/** Where an agent may send its lines later, after a 202 or a `later`. Absent where nobody knows how to be reached. */
export const ANSWER_URL_HEADER = 'assay-answer-url'

/** The one line of a request for items: a generator of the agent is to make those of one start. */
export interface GeneratorRequest {
  generator: string
  occurrence: GeneratorOccurrence
}

/** The start that items are made for. */
export interface GeneratorOccurrence {
  /** The moment the schedule named, or when it was started by hand or by a trigger; RFC 3339, in UTC. */
  scheduled_for: string
  /** The zone of the schedule, by its name in the IANA database; that of the project for a trigger. */
  timezone: string
  /** The day of that moment on the clock of the zone, as 2026-03-29. */
  date: string
  /** What was POSTed to the trigger; absent for a schedule. */
  body?: unknown
}

/** One line of the answer to it; `end` or `error` is the last. */
export type GeneratorLine =
  | { type: 'item'; input: unknown }
  | { type: 'heartbeat' }
  | { type: 'end'; items: number }
  | { type: 'error'; error: ItemError }

/** What of a row is its item_id and its partition_key: names of its fields. */
interface RowFields {
  item_id?: string | null
  partition_key?: string | null
}

/** Where the items of a start come from: a URL, or a generator of the agent. */
export type DeclaredSource = RowFields &
  (
    | {
        url: string
        format: SourceFormat
        /** Nobody said it and the URL's path does not: one JSON array is read as well. */
        format_guessed?: boolean
        headers?: Record<string, string>
      }
    | { generator: string }
  )

/** A recurring start that an agent's code declares; its key is the cron. */
export interface DeclaredSchedule {
  /** Five fields. */
  cron: string
  /** An IANA zone; UTC unless said otherwise. */
  timezone?: string
  /** Instead of the declaration's schedule_input. */
  source?: DeclaredSource | null
  /** Who gets the results of each run as a file, in which format; CSV unless told. */
  results?: { url: string; format?: ResultFormat }
}

/** An inbound HTTP start that an agent's code declares; its key is the name. */
export interface DeclaredTrigger extends RowFields {
  name: string
  /** The sender's environment variable that holds the secret. */
  secret_env?: string
  /** The body of a fire is many items. */
  items?: boolean
  source?: DeclaredSource | null
}

/** What an agent says about itself when it is deployed; stored with the deployment. */
export interface AgentDeclaration {
  name: string
  description?: string
  /** Money one item may spend, in cents. */
  item_budget_cents?: number
  /** What becomes of an item that reaches its budget. */
  on_budget?: 'fail' | 'pause'
  /** Which refusals by wording degrade an item; those that a provider marks always do. */
  refusals?: RefusalChoice
  /** Ways not to have worked that its answers are looked at for, and no others; without it those by default. */
  checks?: DeclaredCheck[]
  /** The language of its answers; one that is surely in another is `wrong_language`. */
  language?: Language
  max_steps?: number
  concurrency?: number
  timeout_seconds?: number
  /** The longest that one step of it takes, where its author knows. */
  step_seconds?: number
  /** Behind a URL: it answers later what takes longer than a consumer has left. */
  answers_later?: boolean
  /** Further attempts after the agent's own errors. */
  retries?: number
  /** A run stops when this many items in a row have failed. */
  max_consecutive_failures?: number
  /**
   * Hosts (`api.openai.com`, `127.0.0.1:8099`) the agent may call; `*` for the public internet; `$NAME` for the
   * host in that variable of the deployment's environment (see `resolveNetwork`).
   */
  network?: string[]
  /** Models it calls, as their providers name them: what has no price is told before the first run. */
  models?: string[]
  /** JSON Schemas, where the declared Standard Schema can give one. */
  input_schema?: unknown
  output_schema?: unknown
  /** What it can make items with: names of sources. */
  generators?: string[]
  /** What the runs of its schedules have for input; null unless said otherwise. */
  schedule_input?: unknown
  /** None is the same as an empty list: what an earlier version declared is deleted by the deploy. */
  schedules?: DeclaredSchedule[]
  triggers?: DeclaredTrigger[]
}
