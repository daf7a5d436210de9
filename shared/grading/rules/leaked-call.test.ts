import { describe, expect, it } from 'vitest'
import { CALL_MENTIONS, CALL_TEXTS } from '../../../test/bench/verdicts/call-texts.ts'
import { failedCheck } from './checks.ts'
import { gradeStep } from './grading.ts'
import { leakedCallIn } from './leaked-call.ts'

const calls = Object.entries(CALL_TEXTS)
const found = (text: string) => failedCheck(text, ['template_leak'])

describe.each(calls)('a call of %s', (_, call) => {
  it.each<[string, (call: string) => string]>([
    ['alone', call => call],
    ['between lines', call => `\n\n${call}\n`],
    ['after thinking', call => `<think>The user wants the order.</think>\n\n${call}`],
    ['before the token that ends its turn', call => `${call}<|im_end|>`],
  ])('is found %s', (_, written) => {
    expect(found(written(call))).toBe('template_leak')
  })
})

/** A turn that begins with its thinking, or a fence, does not follow a sentence. */
const followSentences = calls.filter(([name]) => !/after thinking|fence/.test(name))
describe.each(followSentences)('a call of %s', (_, call) => {
  it.each<[string, (call: string) => string]>([
    ['a sentence', call => `I will look up the order.\n\n${call}`],
    ['a sentence with a colon', call => `Let me check:\n${call}`],
    ['a sentence in its line', call => `Ich sehe nach. ${call}`],
  ])('is found after %s', (_, written) => {
    expect(found(written(call))).toBe('template_leak')
  })
})

/** The tokens of DeepSeek are those of its turns, which count wherever they stand outside of code. */
const mentioned = calls.filter(([name]) => !/^DeepSeek$|after thinking|in a fence/.test(name))
describe.each(mentioned)('a call of %s', (_, call) => {
  it.each(CALL_MENTIONS.map((mention, number) => [number + 1, mention] as const))(
    'passes in an answer about calls (%i)',
    (_, mention) => expect(found(mention(call))).toBeUndefined(),
  )
})

it.each([
  'The tag <tool_call> begins a call, and </tool_call> ends it.',
  '<tool_call> is the tag that begins a call.',
  'In Mistral’s format [TOOL_CALLS] stands before the list of calls.',
  '[TOOL_CALLS] is a token of Mistral.',
  '<|python_tag|> is emitted by Llama before code.',
  'The channel is called commentary: <|channel|>commentary. It is not shown.',
  'Llama writes <function=name>{…}</function> into its text.',
  'Use `<invoke name="get_order">` for that.',
  'Call: 555-1234 (toll free), or call:support.',
  'call:555-1234 (toll free)',
  'The function returns {"name": "get_order", "arguments": {}} as JSON.',
  '{"name": "Ann", "parameters": {"age": 7}}',
  '[{"name": "get_order", "arguments": "a list of the order’s fields"}]',
  '<tools>\n<tool>hammer</tool>\n</tools>',
  '<action>refund</action>',
  '<function>accounting</function>',
  'Action: refund the customer.',
  '>>> get_order(17)\n{"id": 17}',
  'x = get_order[0] + 1',
  'to=all of you, welcome',
  '<|begin_of_box|> is written by GLM.',
])('passes a text without a call: %s', text => {
  if (text.startsWith('<|begin')) return expect(leakedCallIn(text)).toBeUndefined()
  return expect(found(text)).toBeUndefined()
})

it.each([
  '<|channel|>final<|message|>billing<|return|>',
  '<|start|>assistant<|channel|>final<|message|>billing',
  'analysisThe user wants a label.assistantfinalbilling',
  '<|channel|>analysis<|message|>Let me see.<|end|><|start|>assistant<|channel|>final<|message|>billing',
  '<|START_THINKING|>Let me see.<|END_THINKING|><|START_RESPONSE|>billing<|END_RESPONSE|>',
  '<|begin_of_box|>billing<|end_of_box|>',
  'billing<|eot|>',
])('the tokens of a turn are found: %s', text => {
  expect(found(text)).toBe('template_leak')
})

describe('a call without any mark', () => {
  const declaration = { name: 'get_order', description: 'x' }
  const REQUESTS: Record<string, unknown> = {
    OpenAI: { tools: [{ type: 'function', function: declaration }] },
    'OpenAI, older': { functions: [declaration] },
    'OpenAI responses': { tools: [{ type: 'function', ...declaration }] },
    Anthropic: { tools: [{ ...declaration, input_schema: {} }] },
    Gemini: { config: { tools: [{ functionDeclarations: [declaration] }] } },
    'Gemini over HTTP': { tools: [{ function_declarations: [declaration] }] },
    Bedrock: { toolConfig: { tools: [{ toolSpec: declaration }] } },
    'the Vercel AI SDK': { tools: { get_order: { description: 'x' } } },
    'a request too long to be kept': { cut: true, outline: { tools: [declaration] } },
  }
  const BARE = [
    '{"name": "get_order", "arguments": {"id": "A-17"}}',
    '{"name": "get_order", "parameters": {"id": "A-17"}}',
    '{"type": "function", "function": {"name": "get_order", "arguments": "{}"}}',
    '{"tool_calls": [{"name": "get_order", "args": {}}]}',
    '{"action": "get_order", "action_input": {"id": "A-17"}}',
    '{"get_order": {"id": "A-17"}}',
    '[{"name": "get_order", "arguments": {}}, {"name": "get_order", "arguments": {}}]',
    '```json\n{"name": "get_order", "arguments": {"id": "A-17"}}\n```',
    'I will look it up.\n{"name": "get_order", "arguments": {"id": "A-17"}}',
    '[get_order(id="A-17")]',
    'get_order(id="A-17")',
    'get_order\n{"id": "A-17"}',
    'Action: get_order\nAction Input: {"id": "A-17"}',
    '<get_order><id>A-17</id></get_order>',
  ]

  it.each(Object.entries(REQUESTS))('is found if the request offers its tool, as for %s', (_, input) => {
    expect(BARE.filter(text => leakedCallIn(text, input) === undefined)).toEqual([])
  })

  it('passes if the request offers no tool, another one, or is not known', () => {
    for (const input of [
      undefined,
      null,
      {},
      { tools: [] },
      { tools: [{ name: 'refund' }] },
      'Call get_order.',
    ])
      expect(BARE.filter(text => leakedCallIn(text, input) !== undefined)).toEqual([])
  })

  it.each([
    'The order was sent.',
    '{"label": "billing"}',
    '{"name": "Ann", "arguments": {}}',
    'get_order was called.',
    'I called get_order(id="A-17") and the parcel is on its way.',
    '{"name": "get_order"}',
  ])('is no answer such as %s', text => {
    expect(leakedCallIn(text, REQUESTS.OpenAI)).toBeUndefined()
  })

  it('degrades a call whose request offers the tool', () => {
    const output = { choices: [{ message: { role: 'assistant', content: BARE[0] }, finish_reason: 'stop' }] }
    const step = { key: 'k', kind: 'llm_call' as const, name: 'm', started_at: '', duration_ms: 0, output }
    const declared = { default_checks: ['template_leak' as const] }
    expect(gradeStep({ ...step, input: REQUESTS.OpenAI }, declared).reason).toBe('template_leak')
    expect(gradeStep(step, declared).reason).toBeNull()
  })
})

it.each([
  '<tool_call>',
  '<tool_call>{',
  '[TOOL_CALLS]',
  '<|channel|>',
  'call:',
  '```tool_code\n',
  '{"name":',
  'get_order(',
  '<function=',
  '. ',
  '\n<',
  'analysis',
])('a text that only repeats %j is read in time that does not grow with it', piece => {
  const input = { tools: [{ name: 'get_order' }] }
  expect(() => leakedCallIn(piece.repeat(300_000), input)).not.toThrow()
})

describe('a tag that is a word of data, as a tool is', () => {
  const offers = (name: string) => ({ tools: [{ type: 'function', function: { name, parameters: {} } }] })

  it.each([
    '<tool><name>Hammer</name><price>3</price></tool>',
    '<tool>{"name":"Hammer","price":3}</tool>',
    '<tool>\n```json\n{"name":"Hammer"}\n```\n</tool>',
    '<tool>[{"name":"Hammer"},{"name":"Saw"}]</tool>',
    '<function><name>add</name></function>',
    '<function>{"name":"add","returns":"number"}</function>',
    '<power_tool><name>Drill</name></power_tool>',
    '<tool><function>Drives nails</function></tool>',
    'Catalogue:\n<tool><name>Hammer</name></tool>',
  ])('is no call by itself: %s', text => {
    expect(leakedCallIn(text)).toBeUndefined()
    expect(leakedCallIn(text, offers('search'))).toBeUndefined()
  })

  it.each([
    '<tool><name>search</name><arguments>{"q":"x"}</arguments></tool>',
    '<tool>{"name":"search","arguments":{"q":"x"}}</tool>',
    '<function>{"name":"search","parameters":{"q":"x"}}</function>',
    '<tool><invoke name="search">',
    '<tool><tool_name>search</tool_name></tool>',
    '<tool_call><name>search</name></tool_call>',
    '<tool_use>{"name":"search"}</tool_use>',
  ])('is a call with its arguments, or in a tag of calls: %s', text => {
    expect(leakedCallIn(text)).toBeDefined()
  })

  it.each([
    '<tool><name>search</name><q>x</q></tool>',
    '<tool>{"name":"search","q":"x"}</tool>',
    '<function><name>search</name></function>',
  ])('is a call of a tool that the request offers: %s', text => {
    expect(leakedCallIn(text, offers('search'))).toBe(text)
  })
})
