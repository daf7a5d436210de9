// Reads an item and its steps with their payloads as text. Guarantee: an input or output is exactly the text received.

import { elementsOf, fieldsOf } from '../../../shared/json/json.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'

export interface Payloads {
  input: string | undefined
  output: string | undefined
}

export type Item = Schemas['ItemWithDecision']
export type TraceStep = Schemas['Step'] & { texts: Payloads }

/** Depth limit for parsing responses: the limit for payloads, plus the levels of the response around them. */
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

/** Returns the latest steps of an item in the order they ran, and a cursor for the steps before them. */
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

/** Returns the page of a trace at the cursor, or the latest one; with `step_no`, the page that has that step. */
export async function findTrace(api: Client, record_id: string, cursor?: string, step_no?: number) {
  let trace = await readTrace(api, { record_id, ...(cursor ? { cursor } : {}) })
  const hasIt = () => step_no === undefined || trace.steps.some(step => step.step_no === step_no)
  for (let looks = 1; looks < LOOKS && trace.next_cursor !== null && !hasIt(); looks++)
    trace = await readTrace(api, { record_id, cursor: trace.next_cursor })
  return trace
}
