// The lines that a consumer and an agent exchange over HTTP; PROTOCOL.md in the SDK's folder explains them.
// Guarantee: the engine and the SDK use the same types, so neither can drift from that page.

import type { DeclaredCheck, Language, RefusalChoice } from '../../grading/vocabulary.ts'
import type { StepKind } from '../../items/vocabulary.ts'
import type { PlainLimits } from '../../pacing/rules/named-limits.ts'
import type { ReportedLimit } from '../../pacing/vocabulary.ts'
import type { ResultFormat } from '../../results/vocabulary.ts'
import type { SourceFormat } from '../../sources/vocabulary.ts'
import type { Fault } from '../../upstreams/vocabulary.ts'

export const PROTOCOL_VERSION = '1'
export const NDJSON = 'application/x-ndjson'

/** The content-type of a plain JSON answer that reports more than its output: a `PlainReport`. */
export const REPORT_TYPE = 'application/vnd.assay+json'

/** Of an answer, or of lines that are sent later: the version of the code that made it. A line's own `version` wins. */
export const VERSION_HEADER = 'assay-code-version'

/** The step keys under which the SDK records `ctx.hold`. */
export const HOLD_KEY = /^hold(#\d+)?$/

/** The code of a step whose answer came and was not accepted by its agent; it has the output too. */
export const ANSWER_REFUSED = 'answer_refused'

/** The keys under which the SDK records the refused answers of a step, such as `classify~1`. */
export const REFUSED_KEY = /^(.+)~\d+$/

/** A step of an earlier attempt that succeeded; the agent uses its output instead of running it again. */
export interface RecordedStep {
  key: string
  /** Absent if the step was reported without one. */
  output?: unknown
}

/**
 * A step of the item that this one replays. It replaces only a call with the same key and the same input, and its use
 * is reported with `reused`.
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
  /** Money left for this item, in micro-dollars; null without a budget. */
  budget_micro: number | null
  recorded: RecordedStep[]
  /** In a field of its own, which agents that do not know the condition ignore. */
  recorded_for_input?: OfferedStep[]
  /** The item tries an upstream that is closed: its calls are made although the agent knows so. */
  probe?: true
  /** The attempt's span in W3C format, the parent of the agent's own spans. Absent where no telemetry is collected. */
  traceparent?: string
  /** Always the last key, so that the stored text can be passed on unparsed. */
  input: unknown
}

/** Tokens a step used, if the agent knows them; else they are read from the step's output. */
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

/** The result of a model call, reported by an agent whose calls Assay cannot read itself. */
export interface ModelAnswer {
  text?: string
  finish?: 'stop' | 'length' | 'content_filter' | 'refusal' | 'tool_calls' | 'interrupted' | 'other'
  /** The model's words, if the provider marks a refusal. */
  refusal?: string
  /** The answer calls tools, so it need not have a text. */
  tool_calls?: boolean
  model?: string
  usage?: Omit<StepUsage, 'model'>
  /** Why the agent could not read the answer either. */
  unread?: string
}

export interface StepReport {
  /** Unique within the item; names the step when a later attempt looks for its recording. */
  key: string
  kind: StepKind
  name: string
  input?: unknown
  output?: unknown
  /** The step did not run: the offered step with this key was used. The report omits its input and output. */
  reused?: true
  /** Present when the step failed. A model call that failed after its answer had come has that as its output too. */
  error?: { code: string; message: string }
  started_at: string
  duration_ms: number
  usage?: StepUsage
  /** For a model call: takes precedence over what is read from the output. */
  answer?: ModelAnswer
  /** Who was called for a model, with a port that is not the scheme's. It decides whose price the call has. */
  host?: string
  /** What the provider says that it bills for the call. */
  cost_usd?: number
  /** Where the call went: of a probe that worked, or with `fault` of a call whose agent does not wait for it. */
  upstream?: UpstreamReport
}

/** Something outside that the item needs: a provider's host, with a credential. */
export interface UpstreamReport {
  /** With a port that is not the scheme's. */
  host: string
  /**
   * The credential's HMAC-SHA256 under the key in `assay-upstream-key`, its first 16 bytes in hex; without its scheme word,
   * such as `Bearer`. Absent: all calls of the deployment to that host.
   */
  key?: string
  model?: string
  /** What went wrong, if the agent knows; else it is read from `status` and the message. */
  fault?: Fault
  /** Milliseconds since the call began. */
  ago_ms?: number
  /** The agent calls it no more, since nobody was served. */
  closed?: boolean
  /** False: the call was not made, since the upstream is closed. */
  called?: boolean
  /** Other items were served since the call began. */
  others_served?: boolean
  /** Calls that were answered well since the last report of this process. */
  served?: number
  /** Calls that wait for their turn in this process. */
  held?: number
  /** What the answer's headers say about limits. */
  limits?: ReportedLimit[]
  /** The provider's client has tried a call again by itself, after it was refused. */
  client_retries?: boolean
}

export interface ItemError {
  code: string
  message: string
  /** False: another attempt would fail the same way, so declared retries are not used on it. */
  retryable?: boolean
  /**
   * What refused the item: it waits for that, and uses no declared retry. A text is its host. Without `status`, nobody was
   * reached.
   */
  upstream?: UpstreamReport | string
  /** The HTTP status that the upstream answered. */
  status?: number
  /** When it says that it serves again. */
  retry_after_ms?: number
  /** The call that was refused: a failed step, recorded only if the refusal is the item's own. */
  step?: StepReport
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
      version?: string
      output: unknown
    }
  | { type: 'error'; seq: number; attempt: number; error: ItemError; version?: string }
  | { type: 'hold'; seq: number; attempt: number; reason: string; version?: string }
  | { type: 'yield'; seq: number; attempt: number }
  /** The last line of an open answer: items that have not ended by then are answered later, as after a 202. */
  | { type: 'later' }

/** A plain JSON answer that reports what its item did. It has one of `output`, `error` and `hold`. */
export interface PlainReport {
  output?: unknown
  error?: ItemError
  /** Why a person must decide. */
  hold?: string
  steps?: StepReport[]
  degraded?: string
  schema_error?: string
  version?: string
}

/** The URL an agent may send lines to later, after a 202 or a `later`. Absent if the server knows no URL of its own. */
export const ANSWER_URL_HEADER = 'assay-answer-url'

/** Shows by a request's head that its sender has the agent's key: the length of the body, and a signature over it and the head. */
export const BODY_PROOF_HEADER = 'assay-body-proof'

/**
 * What is signed for it. No header holds a line's end, and here one comes before the first dot: so it is never `id.timestamp.body`, the text
 * of a body's signature, whatever the id is.
 */
export const bodyProofText = (id: string, timestamp: string | number, bytes: number): string =>
  [BODY_PROOF_HEADER, id, timestamp, bytes].join('\n')

/** The key for `UpstreamReport.key`, in hex; it is the project's. */
export const UPSTREAM_KEY_HEADER = 'assay-upstream-key'

/** The upstreams that are closed, as a JSON list of `ClosedUpstream`. Absent if none is. */
export const UPSTREAMS_HEADER = 'assay-upstreams'

/** A closed upstream: calls to it are not made, except by items that probe. */
export type ClosedUpstream = Pick<UpstreamReport, 'host' | 'key' | 'model'> & { fault: Fault; words: string }

/** The limits of calls that people set, as a JSON list of `BoundUpstream`. Absent if there are none. */
export const BOUND_UPSTREAMS_HEADER = 'assay-bound-upstreams'

/** Without `key`, all credentials of the host that no other one of the list is for. */
export type BoundUpstream = Pick<UpstreamReport, 'host' | 'key'> & {
  /** Such as `500/min`. */
  requests: string
}

/** The one line of a request for items: a generator of the agent makes the items of one start. */
export interface GeneratorRequest {
  generator: string
  occurrence: GeneratorOccurrence
}

/** The start that items are made for. */
export interface GeneratorOccurrence {
  /** The occurrence's time, or when it was started by hand or by a trigger; RFC 3339, in UTC. */
  scheduled_for: string
  /** The schedule's zone, by its IANA name; for a trigger, the project's. */
  timezone: string
  /** The date of that time in the zone, such as 2026-03-29. */
  date: string
  /** The body POSTed to the trigger; absent for a schedule. */
  body?: unknown
}

/** One line of the generator's answer; `end` or `error` is the last. */
export type GeneratorLine =
  | { type: 'item'; input: unknown }
  | { type: 'heartbeat' }
  | { type: 'end'; items: number }
  | { type: 'error'; error: ItemError }

/** The names of a row's fields that hold its item_id and its partition_key. */
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
        /** Neither the declaration nor the URL's path names the format: one JSON array is accepted as well. */
        format_guessed?: boolean
        headers?: Record<string, string>
      }
    | { generator: string }
  )

/** A recurring start that an agent's code declares; its key is the cron. */
export interface DeclaredSchedule {
  /** Five fields. */
  cron: string
  /** An IANA zone; UTC by default. */
  timezone?: string
  /** Replaces the declaration's schedule_input. */
  source?: DeclaredSource | null
  /** Where the results of each run are sent as a file, and in which format; CSV by default. */
  results?: { url: string; format?: ResultFormat }
}

/** An inbound HTTP start that an agent's code declares; its key is the name. */
export interface DeclaredTrigger extends RowFields {
  name: string
  /** The sender's environment variable that holds the secret. */
  secret_env?: string
  /** The body of a fire holds many items. */
  items?: boolean
  source?: DeclaredSource | null
}

/** What an agent says about itself when it is deployed; stored with the deployment. */
export interface AgentDeclaration {
  name: string
  description?: string
  /** Money one item may spend, in cents. */
  item_budget_cents?: number
  /** What happens to an item that reaches its budget. */
  on_budget?: 'fail' | 'pause'
  /** Which refusals by wording degrade an item; refusals that a provider marks always do. */
  refusals?: RefusalChoice
  /** The checks that its answers are graded by, and no others; the default checks if absent. */
  checks?: DeclaredCheck[]
  /** The language of its answers; an answer that is surely in another one is `wrong_language`. */
  language?: Language
  max_steps?: number
  concurrency?: number
  timeout_seconds?: number
  /** The longest time one of its steps takes, if its author knows. */
  step_seconds?: number
  /** For an agent behind a URL: it answers later when an item takes longer than its consumer has left. */
  answers_later?: boolean
  /** Further attempts after the agent's own errors. */
  retries?: number
  /** A run stops when this many items in a row have failed. */
  max_consecutive_failures?: number
  /** How long its items wait for an upstream that serves nobody, in seconds. */
  patience_seconds?: number
  /** How long the answer of a model call may take to begin; then the call is given up. */
  first_byte_seconds?: number
  /** Limits of what its items need outside, for them alone; of these and the project's, the lower counts. */
  limits?: PlainLimits[]
  /** False if it gets the refusals of its providers itself. */
  wait?: boolean
  /**
   * Hosts (`api.openai.com`, `127.0.0.1:8099`) the agent may call; `*` for the public internet; `$NAME` for the
   * host in that variable of the deployment's environment (see `resolveNetwork`).
   */
  network?: string[]
  /** Models it calls, by their providers' names: models without a price are reported before the first run. */
  models?: string[]
  /** `none` if it calls no model: then a run without a recorded model call is no reason to doubt its cost. */
  model_calls?: 'none'
  /** JSON Schemas, if the declared Standard Schema can provide them; of agents behind a URL, the consumer checks them. */
  input_schema?: unknown
  output_schema?: unknown
  /** Names of the generators it can make items with. */
  generators?: string[]
  /** The input of the runs of its schedules; null by default. */
  schedule_input?: unknown
  /** Absent means an empty list: the deploy deletes what an earlier version declared. */
  schedules?: DeclaredSchedule[]
  triggers?: DeclaredTrigger[]
}
