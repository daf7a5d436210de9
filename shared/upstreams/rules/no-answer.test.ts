// What providers and gateways send in place of an answer, and answers that look like it.

import { describe, expect, it } from 'vitest'
import { noAnswer, surelyNoAnswer } from './no-answer.ts'

const chat = (message: object, more: object = {}, choice: object = {}) => ({
  id: 'c',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  ...more,
})

describe('is no answer', () => {
  it.each<[string, unknown, { words: string; fault?: string; status?: number | null }]>([
    [
      'OpenRouter’s upstream error',
      { error: { code: 502, message: 'Upstream error' }, user_id: 'u' },
      { words: 'Upstream error', status: 502 },
    ],
    [
      'a rate limit',
      { error: { code: 429, message: 'Rate limit exceeded: free-models-per-min' } },
      { words: 'Rate limit exceeded: free-models-per-min', fault: 'rate', status: 429 },
    ],
    [
      'empty credit',
      { error: { message: 'x', code: 'insufficient_quota' } },
      { words: 'x (insufficient_quota)', fault: 'quota' },
    ],
    [
      'Anthropic’s error',
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      { words: 'Overloaded (overloaded_error)' },
    ],
    [
      'Google’s error',
      { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
      { words: 'The model is overloaded. (unavailable)', status: 503 },
    ],
    ['Google’s list of an error', [{ error: { code: 503, message: 'x' } }], { words: 'x', status: 503 }],
    ['a code alone', { error: { code: 500 } }, { words: 'answered 500' }],
    ['Ollama’s error', { error: 'model "llama9" not found' }, { words: 'model "llama9" not found' }],
    [
      'Hugging Face’s error',
      { error: 'Model is loading', estimated_time: 20 },
      { words: 'Model is loading' },
    ],
    [
      'vLLM’s error',
      { object: 'error', message: 'x', type: 'BadRequestError', code: 400 },
      { words: 'x (badrequesterror)', status: 400 },
    ],
    [
      'DashScope’s error',
      { code: 'Throttling', message: 'slow', request_id: 'r' },
      { words: 'slow (throttling)' },
    ],
    [
      'an error of AWS',
      { __type: 'ThrottlingException', message: 'Too many' },
      { words: 'Too many (throttlingexception)' },
    ],
    [
      'Cloudflare’s errors',
      { success: false, errors: [{ code: 7009, message: 'x' }], result: null },
      { words: 'x' },
    ],
    [
      'MiniMax’s error',
      { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
      { words: 'insufficient balance' },
    ],
    [
      'an error of a choice that says nothing',
      chat({ content: '' }, {}, { error: { code: 502, message: 'gone' }, finish_reason: 'error' }),
      { words: 'gone', status: 502 },
    ],
    [
      'a response that failed',
      {
        id: 'r',
        object: 'response',
        status: 'failed',
        error: { code: 'server_error', message: 'boom' },
        output: [],
      },
      { words: 'boom (server_error)' },
    ],
    [
      'a page',
      '<!DOCTYPE html>\n<html><body>Sign in</body></html>',
      { words: 'a page instead of an answer', fault: 'provider_error' },
    ],
    [
      'a page of a gateway',
      '<html><body>Gateway login</body></html>',
      { words: 'a page instead of an answer' },
    ],
    [
      'no choice',
      { id: 'c', object: 'chat.completion', model: 'm', choices: [] },
      { words: 'no choice in the answer' },
    ],
    ['choices that are null', { id: 'c', model: 'm', choices: null }, { words: 'no choice in the answer' }],
    ['no choices', { id: 'c', object: 'chat.completion', model: 'm' }, { words: 'no choice in the answer' }],
    [
      'no candidate',
      { usageMetadata: { promptTokenCount: 9 }, modelVersion: 'g' },
      { words: 'no candidate in the answer' },
    ],
    [
      'an empty list of candidates',
      { candidates: [], usageMetadata: {} },
      { words: 'no candidate in the answer' },
    ],
    [
      'an empty answer of Google’s client',
      { sdkHttpResponse: { headers: {} } },
      { words: 'no candidate in the answer' },
    ],
    [
      'Bedrock’s answer without a message',
      { stopReason: 'end_turn', usage: {}, metrics: { latencyMs: 1 } },
      { words: 'no message in the answer' },
    ],
    ['Ollama’s answer without a message', { model: 'm', done: true }, { words: 'no message in the answer' }],
    ['an empty object', {}, { words: 'an empty object instead of an answer' }],
  ])('%s', (_, output, expected) => {
    expect(noAnswer(output)).toMatchObject(expected)
  })
})

describe('is an answer', () => {
  it.each<[string, unknown]>([
    ['a text', 'billing'],
    ['an empty text, which is graded', ''],
    ['a chat', chat({ content: 'billing' })],
    ['a chat that says nothing', chat({ content: '' })],
    [
      'a chat with a warning beside its text',
      chat({ content: 'billing' }, { error: { code: 502, message: 'x' } }),
    ],
    [
      'a text that was interrupted',
      chat({ content: 'The cust' }, {}, { finish_reason: 'error', error: { code: 502 } }),
    ],
    ['a call of a tool', chat({ content: null, tool_calls: [{ id: '1' }] })],
    ['a model that writes about errors', chat({ content: '{"error":{"code":502,"message":"x"}}' })],
    ['an error that is null', { ...chat({ content: 'x' }), error: null }],
    [
      'a response',
      {
        object: 'response',
        status: 'completed',
        error: null,
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'x' }] }],
      },
    ],
    [
      'a response that failed halfway',
      {
        object: 'response',
        status: 'failed',
        error: { code: 'server_error' },
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'x' }] }],
      },
    ],
    [
      'Anthropic’s empty message',
      { type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn' },
    ],
    ['a prompt that Google blocked', { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: {} }],
    ['Google’s embeddings', { embeddings: [{ values: [1] }], sdkHttpResponse: {} }],
    ['embeddings', { object: 'list', data: [{ embedding: [1] }], usage: {} }],
    ['Cohere’s answer', { id: 'c', message: { role: 'assistant', content: [{ type: 'text', text: 'x' }] } }],
    ['LangChain’s message', { type: 'ai', content: 'x', response_metadata: {} }],
    ['AI SDK’s result', { steps: [{ content: [] }], totalUsage: {} }],
    ['a run of agents', { state: { modelResponses: [] } }],
    ['an object of an agent’s own', { label: 'billing', error: null }],
    ['an object with an error of its own', { label: null, error: 'no invoice found' }],
    ['an unknown answer', { says: 'Hi', in: 3 }],
    ['a message of its own', { message: 'Hello' }],
    ['nothing', undefined],
    ['null', null],
    ['a list', [1]],
    ['a ticket', { type: 'billing', code: 'B12', message: 'Customer wants a refund' }],
    ['a log line', { error: { type: 'TypeError', message: 'x is undefined' }, severity: 'high' }],
  ])('%s', (_, output) => {
    expect(noAnswer(output)).toBeUndefined()
    expect(surelyNoAnswer(output)).toBeUndefined()
  })
})

describe('of a value that a model may have written, is surely none', () => {
  it.each<[string, unknown]>([
    ['OpenRouter’s error', { error: { code: 502, message: 'Upstream error' }, user_id: 'u' }],
    ['OpenAI’s error', { error: { message: 'x', type: 'server_error', param: null, code: null } }],
    ['OpenAI’s error with its code alone', { error: { message: 'x', code: 'insufficient_quota' } }],
    ['Anthropic’s error', { type: 'error', error: { type: 'overloaded_error', message: 'x' } }],
    ['Google’s error', { error: { code: 503, message: 'x', status: 'UNAVAILABLE' } }],
    ['Google’s list of an error', [{ error: { code: 503, message: 'x' } }]],
    ['vLLM’s error', { object: 'error', message: 'x', type: 'BadRequestError', code: 400 }],
    ['DashScope’s error', { code: 'Throttling', message: 'slow', request_id: 'r' }],
    ['an error of AWS', { __type: 'ThrottlingException', message: 'Too many' }],
    ['Cloudflare’s errors', { success: false, errors: [{ code: 7009, message: 'x' }], result: null }],
    ['MiniMax’s error', { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }],
    ['Hugging Face’s error', { error: 'Model is loading', estimated_time: 20 }],
    ['an error of a choice', chat({ content: '' }, {}, { error: { code: 502, message: 'x' } })],
    [
      'a response that failed',
      { id: 'r', object: 'response', status: 'failed', error: { code: 'x' }, output: [] },
    ],
    ['no choice', { id: 'c', object: 'chat.completion', model: 'm', choices: [] }],
    ['no candidate', { usageMetadata: { promptTokenCount: 9 }, modelVersion: 'g' }],
    ['an empty answer of Google’s client', { sdkHttpResponse: { headers: {} } }],
    ['Bedrock’s answer without a message', { stopReason: 'end_turn', usage: {}, metrics: { latencyMs: 1 } }],
    ['Ollama’s answer without a message', { model: 'm', created_at: 'x', done: true }],
    ['nginx’ page', '<html>\n<head><title>502 Bad Gateway</title></head><body>nginx</body></html>'],
    ['Cloudflare’s page', '<!DOCTYPE html><head><title>api.x.com | 522: Connection timed out</title></head>'],
    ['a page of a challenge', '<!doctype html><title>Just a moment...</title>'],
    ['Akamai’s page', '<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD></HTML>'],
    ['a page that is named by its status', '<!doctype html><title>502</title>'],
  ])('%s', (_, value) => {
    expect(surelyNoAnswer(value)).toBeDefined()
  })
})

describe('of a value that a model may have written, is not surely none', () => {
  it.each<[string, unknown]>([
    ['an error in words', { error: 'not an invoice' }],
    ['an error with a number of its own', { error: 'none', code: 0 }],
    ['an error of a program', { error: { type: 'TypeError', message: 'x is undefined' } }],
    ['an error of a machine', { error: { code: 'E42', message: 'Paper jam' } }],
    ['an error of a car', { id: '7', model: 'Y', error: { code: 500, message: 'Brake' } }],
    ['an error with a place', { error: { type: 'parse_error', message: 'x', line: 3 } }],
    ['a review', { title: 'Great phone', detail: 'I love it' }],
    ['a ticket', { status: 'open', code: 'B12', message: 'Printer on fire' }],
    ['an error among others', { success: false, errors: ['missing date'] }],
    ['whom a letter names', { candidates: [] }],
    ['what a form offers', { choices: [] }],
    ['a product', { model: 'T-1000', done: true }],
    ['an empty object', {}],
    ['a page', '<!doctype html><html><head><title>Our bakery</title></head><body>hi</body></html>'],
    ['a page of numbers', '<!doctype html><title>The 500 best books</title>'],
    ['a page without a title', '<html><body>Sign in</body></html>'],
    ['a piece of a page', '<title>502 Bad Gateway</title>'],
  ])('%s', (_, value) => {
    expect(surelyNoAnswer(value)).toBeUndefined()
  })
})
