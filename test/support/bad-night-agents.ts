// The items that the agents of a bad night get, and how the agents behave. Guarantee: an item's number determines how
// it ends.

import type { AgentLine, ItemLine } from '../../shared/protocol/rules/protocol.ts'

const SUBJECTS = [
  'Charged twice for one order',
  'Cannot sign in since the update',
  'Where is my parcel?',
  'Refund for a broken kettle',
  'Please delete my account',
  'Invoice shows the wrong address',
  'The app crashes when I open the cart',
  'Change of delivery date',
  'Voucher is refused at checkout',
]
const CUSTOMERS = ['Aylin K.', 'Jonas W.', 'Marta P.', 'Chen L.', 'Ines R.', 'Tom B.', 'Noor A.']
const QUEUES = ['billing', 'accounts', 'shipping', 'returns']
const KINDS = ['billing', 'account', 'shipping', 'refund']

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length]!

export const tickets = (count: number, day: number, mark: string): object[] =>
  Array.from({ length: count }, (_, at) => ({
    item_id: `T-${48_210 - day * 1000 + at}${mark}`,
    partition_key: `${pick(QUEUES, at)}${mark}`,
    input: {
      text: `${pick(SUBJECTS, at * at)}${mark}`, // squares, so that some subjects are more frequent
      [`order${mark}`]: 70_113 + at * 17,
      customer: `${pick(CUSTOMERS, at)}${mark}`,
      urgent: at % 6 === 0,
    },
  }))

export const invoices = (count: number, day: number, mark: string): object[] =>
  Array.from({ length: count }, (_, at) => ({
    item_id: `INV-2026-${4100 - day * 40 + at}${mark}`,
    input: { file: `scans/${4100 - day * 40 + at}.pdf${mark}`, pages: 1 + (at % 4) },
  }))

type Behaviour = (item: ItemLine, mark: string) => AgentLine[]

/** Looks the customer up, asks a model, and answers. */
export const TICKETS: Behaviour = (item, mark) => {
  const { seq, attempt } = item
  const end = (line: object) => ({ seq, attempt, ...line }) as AgentLine
  const lookUp = step(item, mark, 'find_customer', 0, 140, {
    input: { query: `${pick(CUSTOMERS, seq)}${mark}` },
    output: {
      customer_id: 9000 + seq,
      plan: pick(['free', 'plus', 'business'], seq),
      note: `since 2023${mark}`,
    },
  })
  const draft = (content: string, finish_reason = 'stop') =>
    step(
      item,
      mark,
      'draft_reply',
      180,
      900 + ((seq * 37) % 700),
      chat(item, `${content}${mark}`, finish_reason),
    )
  if (item.recorded.some(({ key }) => key.startsWith('ask_for_approval')))
    return [end({ type: 'result', output: { category: 'refund', approved: true } })]
  if (seq % 5 === 0) {
    const error = {
      code: 'tool_call_error',
      message: `The customer database answered 503 Service Unavailable${mark}`,
    }
    return [
      step(item, mark, 'find_customer', 0, 2100, {
        input: { query: `${pick(CUSTOMERS, seq)}${mark}` },
        error,
      }),
      end({ type: 'error', error }),
    ]
  }
  if (seq % 13 === 0) {
    const error = {
      code: 'rate_limited',
      message: `429 from the model: tokens per minute are used up${mark}`,
    }
    return [
      lookUp,
      step(item, mark, 'draft_reply', 180, 60, { kind: 'llm_call', error }),
      end({ type: 'error', error }),
    ]
  }
  if (seq % 9 === 0)
    return [
      lookUp,
      step(item, mark, 'ask_for_approval', 200, 5, { kind: 'step', output: { held: true } }),
      end({ type: 'hold', reason: `A refund above $500 takes a person${mark}` }),
    ]
  if (seq % 11 === 0)
    return [
      lookUp,
      draft("I'm sorry, but I can't help with that request."),
      end({ type: 'result', output: { category: 'other', reply: null } }),
    ]
  if (seq % 17 === 0)
    return [
      lookUp,
      draft('Dear customer, thank you for writing. We have looked into your order and', 'length'),
      end({ type: 'result', output: { category: pick(KINDS, seq), reply: 'Dear customer, thank you' } }),
    ]
  const reply = `Thank you for writing. We have looked into it, and it is settled by Thursday.${mark}`
  return [
    lookUp,
    draft(reply),
    end({
      type: 'result',
      output: { category: pick(KINDS, seq), priority: seq % 6 === 0 ? 'high' : 'normal', reply },
    }),
  ]
}

/** As on most days: one item in 53 goes wrong. */
export const calmly =
  (behaviour: Behaviour): Behaviour =>
  (item, mark) => {
    const lines = behaviour({ ...item, seq: item.seq % 53 === 0 ? 11 : 1 }, mark)
    return lines.map(line => (line.type === 'heartbeat' ? line : { ...line, seq: item.seq }))
  }

export const INVOICES: Behaviour = (item, mark) => {
  const { seq, attempt } = item
  const read = step(item, mark, 'read_page', 0, 700 + ((seq * 53) % 400), {
    ...chat(item, `{"total": ${120 + seq}.40, "currency": "EUR"}`, 'stop'),
    name: 'gpt-4.1-mini',
  })
  const end = (line: object) => ({ seq, attempt, ...line }) as AgentLine
  return seq % 8 === 0
    ? [
        read,
        end({
          type: 'result',
          degraded: `The date is not readable${mark}`,
          output: { total: 120 + seq, date: null },
        }),
      ]
    : [read, end({ type: 'result', output: { total: 120 + seq, currency: 'EUR', date: '2026-03-02' } })]
}

function step(
  { seq, attempt }: ItemLine,
  mark: string,
  key: string,
  after_ms: number,
  duration_ms: number,
  more: object,
): AgentLine {
  const started_at = new Date(Date.now() + after_ms).toISOString()
  const name = `${key}${mark}`
  const report = { key: name, kind: 'tool_call' as const, name, started_at, duration_ms, ...more }
  return { type: 'step', seq, attempt, step: report }
}

function chat({ seq, input }: ItemLine, content: string, finish_reason: string): object {
  const model = 'gpt-4.1-mini'
  return {
    kind: 'llm_call',
    input: {
      model,
      messages: [
        { role: 'system', content: 'You sort tickets of an online shop and draft a short, friendly reply.' },
        { role: 'user', content: JSON.stringify(input) },
      ],
    },
    output: { model, choices: [{ message: { role: 'assistant', content }, finish_reason }] },
    usage: { model, input_tokens: 1400 + ((seq * 91) % 900), output_tokens: 180 + ((seq * 23) % 160) },
  }
}
