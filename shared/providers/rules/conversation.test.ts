import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, readAnswer, readPrompt } from './conversation.ts'

/** One line per part, as a person would read it. */
const lines = (messages: Message[] | undefined) =>
  messages?.flatMap(({ role, parts }) =>
    parts.map(part => {
      const what = part.kind === 'text' ? '' : `${part.kind} `
      if ('text' in part) return `${role}: ${what}${part.text}`
      if (part.kind === 'call') return `${role}: ${what}${part.name}(${JSON.stringify(part.input)})`
      if (part.kind === 'result')
        return `${role}: ${part.failed ? 'failed ' : ''}${what}${JSON.stringify(part.output)}`
      if (part.kind === 'media') return `${role}: ${what}${part.words}${part.url ? ` ${part.url}` : ''}`
      return `${role}: ${what}${JSON.stringify(part.value)}`
    }),
  )

const IMAGE = `data:image/png;base64,${'A'.repeat(4096)}`

describe('a prompt', () => {
  it.each<[string, unknown, string[]]>([
    [
      'of OpenAI chat',
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is it?' },
              { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
            ],
          },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
        ],
      },
      [
        'system: Be brief.',
        'user: What is it?',
        'user: media image_url https://example.com/a.png',
        'assistant: call look({"at":1})',
        'tool: result "a cat"',
      ],
    ],
    [
      'of OpenAI responses',
      {
        instructions: 'Be brief.',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'Hi' },
              { type: 'input_image', image_url: IMAGE },
            ],
          },
          { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output: '{"found":2}' },
        ],
      },
      [
        'system: Be brief.',
        'user: Hi',
        'user: media image/png, 3 KB within the prompt',
        'assistant: call look({})',
        'tool: result {"found":2}',
      ],
    ],
    [
      'of Anthropic',
      {
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'A'.repeat(4096) } },
            ],
          },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm' },
              { type: 'tool_use', id: 't', name: 'look', input: { at: 1 } },
            ],
          },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't',
                is_error: true,
                content: [{ type: 'text', text: 'no' }],
              },
            ],
          },
        ],
      },
      [
        'system: Be brief.',
        'user: media image/jpeg, 3 KB within the prompt',
        'assistant: thinking hm',
        'assistant: call look({"at":1})',
        'user: failed result "no"',
      ],
    ],
    [
      'of Gemini',
      {
        config: { systemInstruction: 'Be brief.' },
        contents: [
          {
            role: 'user',
            parts: [
              { text: 'Hi' },
              { fileData: { fileUri: 'https://example.com/f', mimeType: 'application/pdf' } },
            ],
          },
          { role: 'model', parts: [{ functionCall: { name: 'look', args: { at: 1 } } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'look', response: { found: 2 } } }] },
        ],
      },
      [
        'system: Be brief.',
        'user: Hi',
        'user: media application/pdf https://example.com/f',
        'assistant: call look({"at":1})',
        'user: result {"found":2}',
      ],
    ],
    [
      'of the Vercel AI SDK',
      {
        system: 'Be brief.',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Hi' },
              { type: 'image', image: IMAGE },
            ],
          },
          {
            role: 'assistant',
            content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { at: 1 } }],
          },
          {
            role: 'tool',
            content: [
              { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'json', value: 2 } },
            ],
          },
        ],
      },
      [
        'system: Be brief.',
        'user: Hi',
        'user: media image/png, 3 KB within the prompt',
        'assistant: call look({"at":1})',
        'tool: result {"type":"json","value":2}',
      ],
    ],
    ['that is a text', 'Hi', ['user: Hi']],
    [
      'with a part of an unknown type',
      { messages: [{ role: 'user', content: [{ type: 'telepathy', x: 1 }] }] },
      ['user: json {"type":"telepathy","x":1}'],
    ],
  ])('%s is read', (_, input, expected) => expect(lines(readPrompt(input))).toEqual(expected))

  it.each([[{ n: 1 }], [null], [7], [[1, 2]], [{ messages: 'none'.length }], [{ input: { n: 1 } }]])(
    'that is not a known prompt is left alone: %j',
    input => {
      expect(readPrompt(input)).toBeUndefined()
    },
  )
})

describe('an answer', () => {
  it.each<[string, unknown, string[]]>([
    [
      'of OpenAI chat',
      {
        choices: [
          {
            message: {
              role: 'assistant',
              content: 'Yes',
              refusal: null,
              tool_calls: [{ id: 'c', function: { name: 'look', arguments: 'not json' } }],
            },
          },
        ],
      },
      ['assistant: Yes', 'assistant: call look("not json")'],
    ],
    [
      'that OpenAI refuses',
      { choices: [{ message: { role: 'assistant', content: null, refusal: 'No.' } }] },
      ['assistant: refusal No.'],
    ],
    [
      'of OpenAI responses',
      {
        object: 'response',
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes' }] },
        ],
      },
      ['assistant: thinking hm', 'assistant: Yes'],
    ],
    [
      'of Anthropic',
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes' },
          { type: 'tool_use', id: 't', name: 'look', input: {} },
        ],
      },
      ['assistant: Yes', 'assistant: call look({})'],
    ],
    [
      'of Gemini',
      {
        candidates: [{ content: { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'Yes' }] } }],
      },
      ['assistant: thinking hm', 'assistant: Yes'],
    ],
    [
      'of the Vercel AI SDK',
      {
        finishReason: 'stop',
        usage: {},
        text: 'Yes',
        toolCalls: [{ toolCallId: 'c', toolName: 'look', args: { at: 1 } }],
        toolResults: [{ toolCallId: 'c', result: 2 }],
      },
      ['assistant: Yes', 'assistant: call look({"at":1})', 'assistant: result 2'],
    ],
    [
      'of the Vercel AI SDK, with steps',
      {
        steps: [
          {
            finishReason: 'stop',
            content: [
              { type: 'reasoning', text: 'hm' },
              { type: 'text', text: 'Yes' },
            ],
          },
        ],
      },
      ['assistant: thinking hm', 'assistant: Yes'],
    ],
    ['that is a text', 'Yes', ['assistant: Yes']],
  ])('%s is read', (_, output, expected) => expect(lines(readAnswer(output))).toEqual(expected))

  it.each([
    [{ choices: [] }],
    [{ choices: [{}] }],
    [{ candidates: [{ finishReason: 'SAFETY' }] }],
    [{ text: 'mine' }],
    [null],
  ])('that is not a known answer is left alone: %j', output => {
    expect(readAnswer(output)).toBeUndefined()
  })
})

it('a prompt or answer of any shape is read without an error', () => {
  const word = fc.constantFrom(
    'messages',
    'role',
    'content',
    'type',
    'text',
    'tool_use',
    'image',
    'source',
    'choices',
    'message',
    'output',
    'response',
    'object',
    'parts',
    'candidates',
    'finishReason',
    'steps',
    'toolCalls',
    'user',
  )
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'medium' },
      word,
      fc.constant(null),
      fc.integer(),
      fc.array(tie('value')),
      fc.dictionary(word, tie('value')),
    ),
  }))
  fc.assert(
    fc.property(value, given => void [readPrompt(given), readAnswer(given)]),
    { numRuns: 2000 },
  )
})

it('a javascript: URL does not become a link', () => {
  const url = 'javascript:alert(1)'
  const [message] = readPrompt({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  })!
  expect(message!.parts[0]).not.toHaveProperty('url')
})
