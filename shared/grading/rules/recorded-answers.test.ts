import { describe, expect, it } from 'vitest'
import { RecordedAnswers } from './recorded-answers.ts'

/** The verdict of each line, by the identifier that it names. */
function graded(lines: readonly object[]) {
  const found: Record<string, string> = {}
  for (const line of lines) {
    const answers = new RecordedAnswers({ refusals: 'sure' })
    // A verdict that no answer has differs from each, so that the example names it.
    answers.line(JSON.stringify({ ...line, verdict: 'another' }), 7)
    for (const { now, examples } of answers.result().changes) found[examples[0]!.item_id!] = now
  }
  return found
}

const chat = (content: string, finish_reason = 'stop') => ({
  object: 'chat.completion',
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
})
const REFUSAL = "I'm sorry, I can't help with that."

describe('lines of batch outputs', () => {
  it('of OpenAI, Azure, Mistral and LiteLLM are graded by their answers', () => {
    const line = (custom_id: string, body: unknown, status_code = 200, error: unknown = null) => ({
      id: `batch_req_${custom_id}`,
      custom_id,
      response: body === null ? null : { status_code, request_id: 'r', body },
      error,
    })
    expect(
      graded([
        line('ok', chat('billing')),
        line('cut', chat('bil', 'length')),
        line('no', chat(REFUSAL)),
        line('none', chat('')),
        line('late', null, 200, { code: 'batch_expired', message: 'expired' }),
        line('limit', { error: { message: 'Rate limit reached', type: 'requests' } }, 429),
        line('respond', {
          object: 'response',
          status: 'completed',
          model: 'gpt-5',
          output: [
            { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'billing' }] },
          ],
        }),
      ]),
    ).toEqual({
      ok: 'ok',
      cut: 'truncated',
      no: 'refusal',
      none: 'empty_output',
      late: 'provider_error',
      limit: 'provider_error',
      respond: 'ok',
    })
  })

  it('of Anthropic are graded by their messages', () => {
    const line = (custom_id: string, text: string, stop_reason: string) => ({
      custom_id,
      result: {
        type: 'succeeded',
        message: {
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'text', text }],
          stop_reason,
        },
      },
    })
    expect(
      graded([
        line('ok', 'billing', 'end_turn'),
        line('cut', 'bil', 'max_tokens'),
        line('no', '', 'refusal'),
        {
          custom_id: 'busy',
          result: {
            type: 'errored',
            error: { type: 'error', error: { type: 'overloaded_error', message: 'x' } },
          },
        },
        { custom_id: 'late', result: { type: 'expired' } },
        { custom_id: 'ended', result: { type: 'canceled' } },
      ]),
    ).toEqual({
      ok: 'ok',
      cut: 'truncated',
      no: 'refusal',
      busy: 'provider_error',
      late: 'provider_error',
      ended: 'provider_error',
    })
  })

  it('of Gemini, Vertex AI and Bedrock are graded by their responses', () => {
    const response = (text: string, finishReason = 'STOP') => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason }],
      modelVersion: 'gemini-2.5-flash',
    })
    const modelInput = { messages: [] }
    expect(
      graded([
        { key: 'ok', response: response('billing') },
        { key: 'cut', response: response('bil', 'MAX_TOKENS') },
        { key: 'bad', error: { code: 400, message: 'Invalid argument' } },
        { key: 'vertex', status: '', request: { contents: [] }, response: response('billing') },
        { key: 'bigquery', status: '', request: '{}', response: JSON.stringify(response('billing')) },
        { key: 'empty', status: 'Bad Request: {"error": {}}', request: {}, response: {} },
        {
          recordId: 'rock',
          modelInput,
          modelOutput: {
            type: 'message',
            role: 'assistant',
            content: [{ type: 'text', text: 'x' }],
            stop_reason: 'max_tokens',
          },
        },
        { recordId: 'fault', modelInput, error: { errorCode: 400, errorMessage: 'Bad' } },
      ]),
    ).toEqual({
      ok: 'ok',
      cut: 'truncated',
      bad: 'provider_error',
      vertex: 'ok',
      bigquery: 'ok',
      empty: 'provider_error',
      rock: 'truncated',
      fault: 'provider_error',
    })
  })
})

describe('files of tools', () => {
  it('of LiteLLM are graded by the response that was logged', () => {
    const line = { call_type: 'acompletion', model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }] }
    expect(
      graded([
        { ...line, id: 'ok', status: 'success', response: chat('billing') },
        { ...line, id: 'cut', status: 'success', response: chat('bil', 'length') },
        { ...line, id: 'bad', status: 'failure', response: null, error_str: 'Timeout' },
      ]),
    ).toEqual({ ok: 'ok', cut: 'truncated', bad: 'provider_error' })
  })

  it('of promptfoo are graded by their outputs, a line each or all in one', () => {
    const line = (id: string, response: object, more = {}) => ({
      id,
      testIdx: 0,
      promptIdx: 0,
      vars: {},
      prompt: { raw: 'Classify: x', label: 'x' },
      response,
      success: true,
      ...more,
    })
    const lines = [
      line('ok', { output: 'billing' }),
      line('object', { output: { label: 'billing' } }),
      line('no', { output: REFUSAL }),
      line('cut', { output: 'bil', finishReason: 'length' }),
      line('bad', { error: 'API error: 500' }, { success: false }),
    ]
    const verdicts = { ok: 'ok', object: 'ok', no: 'refusal', cut: 'truncated', bad: 'provider_error' }
    expect(graded(lines)).toEqual(verdicts)
    const answers = new RecordedAnswers({ refusals: 'sure' })
    answers.line(JSON.stringify({ evalId: 'e', results: { version: 3, results: lines } }), 1)
    expect(
      answers
        .result()
        .verdicts.map(({ verdict, calls_now }) => [verdict, calls_now])
        .sort(),
    ).toEqual([
      ['ok', 2],
      ['provider_error', 1],
      ['refusal', 1],
      ['truncated', 1],
    ])
  })
})
