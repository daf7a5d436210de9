// An item and its steps with their payloads as texts. Guarantee: an input or output is the very text it came in as.

import { elementsOf, fieldsOf } from '../../../shared/json/json.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'

export interface Payloads {
  input: string | undefined
  output: string | undefined
}

export type Item = Schemas['ItemWithDecision']
export type TraceStep = Schemas['Step'] & { texts: Payloads }

/** A payload may be as deep as it may be, and stands in an answer. */
export const AROUND = { depth: LIMITS.json_depth + 4 }

export async function readItem(api: Client, itemId: string): Promise<{ item: Item; texts: Payloads }> {
  const { data: text = '' } = await api.GET('/v1/durable/runs/{itemId}', {
    params: { path: { itemId } },
    parseAs: 'text',
  })
  const fields = fieldsOf(text, AROUND)
  return {
    item: JSON.parse(text),
    texts: { input: fields.get('input_snapshot'), output: fields.get('output') },
  }
}

interface StepQuery {
  record_id: string
  cursor?: string
  from?: string
  to?: string
}

/** Steps of an item, the latest ones in the order they ran, and where those before them begin. */
export async function readTrace(api: Client, query: StepQuery) {
  const { data: text = '' } = await api.GET('/v1/steps', {
    params: { query: { ...query, limit: LIMITS.trace_page } },
    parseAs: 'text',
  })
  const { steps, next_cursor } = JSON.parse(text) as Schemas['StepPage']
  const texts = elementsOf(fieldsOf(text, AROUND).get('steps')!, AROUND).map(one => fieldsOf(one, AROUND))
  const read: TraceStep[] = steps.map((step, at) => ({
    ...step,
    texts: { input: texts[at]!.get('input'), output: texts[at]!.get('output') },
  }))
  const byPlace = (a: TraceStep, b: TraceStep) => a.attempt - b.attempt || a.step_no - b.step_no
  return { steps: read.sort(byPlace), next_cursor }
}

const LOOKS = 20

/** The part of a trace that begins at a cursor, or the latest one; where a step is asked for, the part that has it. */
export async function findTrace(api: Client, record_id: string, cursor?: string, step_no?: number) {
  let trace = await readTrace(api, { record_id, ...(cursor ? { cursor } : {}) })
  const hasIt = () => step_no === undefined || trace.steps.some(step => step.step_no === step_no)
  for (let looks = 1; looks < LOOKS && trace.next_cursor !== null && !hasIt(); looks++)
    trace = await readTrace(api, { record_id, cursor: trace.next_cursor })
  return trace
}
