// Decides about items that something outside has stopped: the host of their agent, or a provider that it calls. Guarantee:
// what an agent reports stops its own deployment alone, unless it is a bundle that names a value of its own environment.

import type { AgentTarget } from '../../agents/rules/invoke-agent.ts'
import type { Claim } from '../../claims/verbs/claim.ts'
import { ProtocolError, type StepRow } from '../../grading/rules/step-row.ts'
import { itemRecordId } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import { HOST } from '../../pacing/rules/named-limits.ts'
import { LIMITED, type ReportedLimit } from '../../pacing/vocabulary.ts'
import type { ItemError, UpstreamReport } from '../../protocol/rules/protocol.ts'
import type { InFlightItem } from '../../settling/verbs/in-flight-item.ts'
import { classify, withoutKeys } from '../../upstreams/rules/classify.ts'
import {
  agentPlace,
  type Closed,
  type FailedCall,
  type KnownUpstreams,
  type Place,
  type Stop,
} from '../../upstreams/verbs/known-upstreams.ts'
import { labelsOf } from '../../upstreams/verbs/upstream-keys.ts'
import { FAULTS, type Fault } from '../../upstreams/vocabulary.ts'

export class Stops {
  readonly #claim: Claim
  readonly #known: KnownUpstreams
  /** The project's key for the names of credentials. */
  readonly key: string
  readonly #now: () => number
  readonly #answersLater: boolean

  /** @param answersLater its items are in flight in no process: what is said of them comes in requests of their agent */
  constructor(claim: Claim, known: KnownUpstreams, key: string, now: () => number, answersLater = false) {
    this.#claim = claim
    this.#known = known
    this.key = key
    this.#now = now
    this.#answersLater = answersLater
  }

  /** The closed upstream that the item was stopped at before, which it tries again now. */
  probed(inFlight: InFlightItem): Closed | undefined {
    return this.#known.byId(inFlight.item.upstream_id)
  }

  /** Why the run's items fail without being sent: its patience is over, and something that it needs still serves nobody. */
  unavailable(): string | null {
    const { target, project_id, unavailable } = this.#claim
    if (unavailable === null) return null
    const isServed =
      this.closedAgent() === undefined && this.#known.closedFor(target, project_id).length === 0
    return isServed ? null : unavailable
  }

  /** The agent behind a URL, if it is known to be away or cooling. */
  closedAgent(): Closed | undefined {
    const { target, project_id } = this.#claim
    return target.url === null ? undefined : this.#known.find(project_id, agentPlace(target.url))
  }

  /** What becomes of an item whose agent reports what refused it; undefined if it reports nothing of the kind. */
  ofError(inFlight: InFlightItem, error: ItemError): Stop | undefined {
    const report = reportOf(error)
    if (report === undefined) return undefined
    const { status = null, retry_after_ms = null } = error
    const fault = report.fault ?? faultOf(error, this.#now())
    if (fault === undefined) return undefined
    const place = this.#placeOf(report)
    if (report.client_retries) this.#clientRetries(place)
    // A customer's key that came in the item, or one that the agent made: it is refused, and nobody else's is.
    const isOfItem = this.#claim.target.kind === 'bundle' && report.key !== undefined && place.label === null
    if (isOfItem && (fault === 'refused' || fault === 'quota')) return undefined
    return this.#stopped(inFlight, {
      place,
      fault,
      status,
      words: plainText(withoutKeys(error.message), LIMITS.upstream_words),
      retry_after_ms,
      began_ms: this.#now() - (report.ago_ms ?? 0),
      ...(report.closed !== undefined && { closed: report.closed }),
      ...(report.called !== undefined && { called: report.called }),
      ...(report.others_served !== undefined && { others_served: report.others_served }),
    })
  }

  /** What becomes of an item whose agent itself was not reached, or says that it serves nobody now. */
  ofAgent(inFlight: InFlightItem, refused: Omit<Call, 'place'>): Stop | undefined {
    const { url } = this.#claim.target
    return url === null ? undefined : this.#stopped(inFlight, { ...refused, place: agentPlace(url) })
  }

  #callingItem = (inFlight: InFlightItem): InFlightItem | null => (this.#answersLater ? null : inFlight)

  /** The names of the credentials that a variable of the agent's environment has: none or one. */
  keysOf = (label: string): string[] =>
    [...labelsFor(this.#claim.target, this.key)].flatMap(([key, of]) => (of === label ? [key] : []))

  nameOf = ({ seq }: InFlightItem): string => itemRecordId(this.#claim.run_id, seq)

  /** A step shows what an upstream does, and its item goes on. */
  seen(inFlight: InFlightItem, report: UpstreamReport, message: string): void {
    const { fault, ago_ms = 0, closed, limits = [], served = 0, held = 0 } = checked(report)
    const place = this.#placeOf(report)
    const { project_id, target } = this.#claim
    const began_ms = this.#now() - ago_ms
    if (report.client_retries) this.#clientRetries(place)
    if (limits.length + served > 0)
      this.#known.pacer.report({ project_id, ...place }, target.deployment_id, {
        limits,
        served,
        held,
        began_ms,
        item: this.#callingItem(inFlight),
      })
    if (fault === undefined) return this.#known.served(project_id, place, began_ms)
    this.#stopped(inFlight, {
      place,
      fault,
      status: null,
      words: plainText(withoutKeys(message), LIMITS.upstream_words),
      retry_after_ms: null,
      began_ms,
      ...(closed !== undefined && { closed }),
    })
  }

  /** A call of an item used tokens. */
  used(inFlight: InFlightItem, { model, input_tokens, output_tokens }: StepRow): void {
    const tokens = input_tokens + output_tokens
    if (tokens > 0)
      this.#known.pacer.used(this.#claim.target.deployment_id, model, tokens, this.#callingItem(inFlight))
  }

  #stopped(inFlight: InFlightItem, call: Call): Stop {
    // It is another call that was refused before: what worked since has nothing to do with it.
    const before = inFlight.gotOn ? NOT_BEFORE : inFlight.item
    const { project_id, target } = this.#claim
    const { pacer } = this.#known
    const place = { project_id, ...call.place }
    if (call.called === false) pacer.notCalled(place, target.deployment_id)
    else if (call.fault === 'rate') pacer.refused(place, target.deployment_id)
    return this.#known.stopped(project_id, { ...call, item: call.item ?? this.nameOf(inFlight) }, before)
  }

  #clientRetries(place: Place): void {
    const { project_id, target } = this.#claim
    this.#known.pacer.clientRetries({ project_id, ...place }, target.deployment_id)
  }

  #placeOf({ host, key = '', model = '' }: Pick<UpstreamReport, 'host' | 'key' | 'model'>): Place {
    const { target } = this.#claim
    const label = key === '' ? null : (labelsFor(target, this.key).get(key) ?? null)
    // The code of a bundle runs here, and gets its environment from here: it has what it names.
    const isProven = target.kind === 'bundle' && label !== null
    return {
      kind: 'credential',
      host,
      key: target.kind === 'bundle' && !isProven ? '' : key,
      model,
      label,
      deployment_id: isProven ? null : target.deployment_id,
    }
  }
}

type Call = Omit<FailedCall, 'item'> & { item?: string }

const NOT_BEFORE = { upstream_id: null, stops: 0, refusals: 0, cut_answers: 0 }

const labels = new Map<string, Map<string, string>>()

function labelsFor({ deployment_id, env }: AgentTarget, key: string): Map<string, string> {
  const known = labels.get(deployment_id)
  if (known) return known
  const made = labelsOf(key, env)
  if (labels.size >= LIMITS.agent_keys) labels.clear()
  labels.set(deployment_id, made)
  return made
}

/** The report of an error line. @throws ProtocolError */
function reportOf({ upstream, status, retry_after_ms }: ItemError): UpstreamReport | undefined {
  if (upstream === undefined || upstream === null) return undefined
  if (status !== undefined && !(Number.isInteger(status) && status >= 100 && status <= 599))
    throw new ProtocolError('status must be an HTTP status')
  if (!isTime(retry_after_ms)) throw new ProtocolError('retry_after_ms must be a number of milliseconds')
  return checked(typeof upstream === 'string' ? { host: upstream } : upstream)
}

const isText = (value: unknown, most: number) =>
  value === undefined || (typeof value === 'string' && value !== '' && value.length <= most)
const isTime = (value: unknown) =>
  value === undefined || (typeof value === 'number' && value >= 0 && value <= MOST_MS)
/** As long as a run may wait for anything. */
const MOST_MS = LIMITS.patience_seconds.max * 1000
const MOST_CALLS = 1_000_000
const MOST_LIMITS = 8
const isCount = (value: unknown) =>
  value === undefined || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_CALLS)
const isAmount = (value: unknown) =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
const isLimit = (limit: ReportedLimit | null) =>
  limit !== null && typeof limit === 'object' && isLimitOf(limit)
const isLimitOf = ({ of, amount, left, reset_ms, window_ms }: ReportedLimit) =>
  LIMITED.includes(of) &&
  isAmount(left) &&
  [amount, reset_ms, window_ms].every(one => one == null || isAmount(one))
const isFlag = (value: unknown) => value === undefined || typeof value === 'boolean'

function checked(report: UpstreamReport): UpstreamReport {
  const { host, key, model, fault, ago_ms, closed, called, others_served, served, held, limits } = report
  const { client_retries } = report
  const problem =
    typeof host !== 'string' || !isText(host, LIMITS.upstream_host_characters) || !HOST.test(host)
      ? `host must be 1 to ${LIMITS.upstream_host_characters} visible characters of ASCII`
      : key !== undefined && !/^[0-9a-f]{32}$/.test(String(key))
        ? 'key must be 32 characters of hex'
        : !isText(model, LIMITS.name_characters)
          ? `model must be a text of 1 to ${LIMITS.name_characters} characters`
          : fault !== undefined && !(FAULTS as readonly unknown[]).includes(fault)
            ? `fault must be one of ${FAULTS.join(', ')}`
            : !isTime(ago_ms)
              ? 'ago_ms must be a number of milliseconds'
              : ![closed, called, others_served, client_retries].every(isFlag)
                ? 'closed, called, others_served and client_retries must be true or false'
                : ![served, held].every(isCount)
                  ? `served and held must be whole numbers up to ${MOST_CALLS}`
                  : limits !== undefined &&
                      !(Array.isArray(limits) && limits.length <= MOST_LIMITS && limits.every(isLimit))
                    ? `limits must be a list of at most ${MOST_LIMITS}, each with "of" (${LIMITED.join(', ')}) and "left"`
                    : undefined
  if (problem !== undefined) throw new ProtocolError(`upstream: ${problem}`)
  return report
}

/** What an error line says went wrong, if it does not name it. */
function faultOf({ status, message }: ItemError, now_ms: number): Fault | undefined {
  const answer = {
    status: status ?? null,
    header: () => null,
    body: message,
    sent: status !== undefined,
    took_ms: 0,
    is_model_call: true,
  }
  return classify(answer, now_ms)?.fault
}
