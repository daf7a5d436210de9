// The behaviour of played agents whose items are shown in a browser.

import type { AgentLine, ItemLine } from '../../shared/protocol/rules/protocol.ts'
import type { Play } from '../conformance/play.ts'

/** Runs a script wherever it is not shown as text. */
export const XSS = `<img src=x onerror=alert(1)>"'</pre><script>alert(2)</script>`

export const step = ({ seq, attempt }: ItemLine, key: string, more: object = {}): AgentLine => ({
  type: 'step',
  seq,
  attempt,
  step: {
    key,
    kind: 'tool_call',
    name: key,
    started_at: '2026-01-01T00:00:00Z',
    duration_ms: 40,
    ...more,
  },
})

export const chat = (content: string, answer: string) => ({
  kind: 'llm_call',
  name: 'test-model',
  input: { model: 'test-model', messages: [{ role: 'user', content }] },
  output: { choices: [{ message: { role: 'assistant', content: answer }, finish_reason: 'stop' }] },
  usage: { model: 'test-model', input_tokens: 1000, output_tokens: 20 },
})

/** Looks something up, asks a model, and fails when it writes. */
export const failsAtTheEnd: Play = item => [
  step(item, 'look_up', { input: { id: 7 }, output: { found: 7.5 } }),
  step(item, 'ask', chat('What is it?', 'It is a cat.')),
  step(item, 'write', {
    started_at: '2026-01-01T00:00:01Z',
    error: { code: 'tool_call_error', message: 'the disk is full' },
  }),
  {
    type: 'error',
    seq: item.seq,
    attempt: item.attempt,
    error: { code: 'tool_call_error', message: 'the disk is full' },
  },
]
