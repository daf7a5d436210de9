// Checks the inputs and outputs of agents behind URLs against the schemas that they declare; bundles do so themselves.
// Guarantee: a schema is read once while it is kept; checks of one account hold up others for one check at most, and then
// leave the time to them.

import type { AgentTarget } from '../../agents/rules/invoke-agent.ts'
import type { Claim } from '../../claims/verbs/claim.ts'
import type { OutcomeReason } from '../../grading/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { Mask } from '../../kernel/masking.ts'
import { slices } from '../../kernel/slices.ts'
import { readSchema } from '../../schemas/rules/declared-schema.ts'
import {
  CHECK_LIMIT,
  type ReadSchema,
  SCHEMAS,
  type SchemaAnswer,
  type SchemaName,
} from '../../schemas/vocabulary.ts'
import type { InFlightItem } from '../../settling/verbs/in-flight-item.ts'

/** The schemas of a deployment, as far as it declares them. */
export type DeclaredSchemas = Partial<Record<SchemaName, ReadSchema>>

/** By deployment, the one that was used last at the end. */
const kept = new Map<string, { schemas: DeclaredSchemas; bytes: number }>()
let keptBytes = 0

/** Undefined without any; nothing is waited for if they were read before. */
export function schemasOf(target: AgentTarget): DeclaredSchemas | undefined | Promise<DeclaredSchemas> {
  const { kind, deployment_id, declaration } = target
  if (kind !== 'url') return undefined
  if (declaration.input_schema === undefined && declaration.output_schema === undefined) return undefined
  const known = kept.get(deployment_id)
  if (known === undefined) return read(target)
  kept.delete(deployment_id)
  kept.set(deployment_id, known)
  return known.schemas
}

/** Claims of one deployment may read it at the same time: in workerd no request may wait for another one's promise. */
async function read({ deployment_id, declaration }: AgentTarget): Promise<DeclaredSchemas> {
  const schemas: DeclaredSchemas = {}
  let bytes = 0
  for (const name of Object.keys(SCHEMAS) as SchemaName[]) {
    if (declaration[name] === undefined) continue
    const result = await readSchema(declaration[name], name)
    // A deploy refuses what cannot be read.
    if ('read' in result) schemas[name] = result.read
    bytes += JSON.stringify(declaration[name]).length
  }
  keep(deployment_id, { schemas, bytes })
  return schemas
}

function keep(deployment_id: string, one: { schemas: DeclaredSchemas; bytes: number }): void {
  keptBytes += one.bytes - (kept.get(deployment_id)?.bytes ?? 0)
  kept.set(deployment_id, one)
  for (const [oldest, { bytes }] of kept) {
    if (keptBytes <= LIMITS.schemas_kept_bytes || oldest === deployment_id) return
    kept.delete(oldest)
    keptBytes -= bytes
  }
}

/** What ends items: an `Answer`. */
interface Ends {
  fail(inFlight: InFlightItem, code: string, message: string, reason: OutcomeReason): void
  unfinished(): InFlightItem[]
}

/** Ends the items whose input does not match, before anything is called; returns the others. */
export async function matching(
  { target }: Claim,
  inFlightItems: InFlightItem[],
  schemas: DeclaredSchemas,
  answer: Ends,
): Promise<InFlightItem[]> {
  const schema = schemas.input_schema
  if (schema === undefined) return inFlightItems
  const turn = slices()
  for (const inFlight of inFlightItems) {
    await turn()
    await restOf(target)
    const said = timed(target, () => schema.check(JSON.parse(inFlight.item.input)))
    if (said && 'over' in said) answer.fail(inFlight, CHECK_LIMIT, said.over, 'limit_exceeded')
    else if (said) answer.fail(inFlight, 'invalid_input', said.problem, 'agent_error')
  }
  return answer.unfinished()
}

/** How an output is checked; what is said of it is masked, like all that an agent wrote. */
export function outputCheck(
  target: AgentTarget,
  schemas: DeclaredSchemas | undefined,
  mask: Mask,
): ((output: unknown) => SchemaAnswer) | undefined {
  const schema = schemas?.output_schema
  if (schema === undefined) return undefined
  return output => {
    const said = timed(target, () => schema.check(output))
    return said && 'problem' in said ? { problem: mask.text(said.problem) } : said
  }
}

/** Until when an account's checks leave the time to others, by the process's own clock. */
const rests = new Map<string, number>()

const accountOf = ({ account_id }: AgentTarget) => account_id ?? ''

function timed<T>(target: AgentTarget, check: () => T): T {
  const began_ms = performance.now()
  try {
    return check()
  } finally {
    const ended_ms = performance.now()
    const took_ms = ended_ms - began_ms
    if (took_ms > LIMITS.schema_turn_ms)
      rests.set(accountOf(target), ended_ms + LIMITS.schema_rest_times * took_ms)
  }
}

/** To be awaited before a check; undefined if it may begin at once. */
export function restOf(target: AgentTarget): Promise<void> | undefined {
  const account = accountOf(target)
  const until_ms = rests.get(account)
  if (until_ms === undefined) return undefined
  if (performance.now() < until_ms) return rested(account)
  rests.delete(account)
  return undefined
}

/** Looks again after each wait: of several that waited, the first may have checked for long. */
async function rested(account: string): Promise<void> {
  for (;;) {
    const left_ms = (rests.get(account) ?? 0) - performance.now()
    if (left_ms <= 0) return
    await new Promise(resolve => setTimeout(resolve, left_ms))
  }
}
