import { describe, expect, it } from 'vitest'
import { messageTexts } from './message-texts.ts'
import { ANSWERS } from './sample-answers.ts'
import { PROMPTS, SAID, SCHEMA_OF_ANSWER, TOOL } from './sample-prompts.ts'

const textsOfPrompt = (input: unknown, kind = 'llm_call') =>
  messageTexts({ kind, input: JSON.stringify(input), output: null }).input
const textsOfAnswer = (output: unknown, kind = 'llm_call') =>
  messageTexts({ kind, input: null, output: JSON.stringify(output) }).output

describe('texts of messages', () => {
  it.each(Object.entries(PROMPTS))('are found in a prompt of %s, and its parameters are not', (_, prompt) => {
    expect(textsOfPrompt(prompt)).toEqual([SAID])
  })

  it.each(Object.entries(ANSWERS).filter(([, answer]) => JSON.stringify(answer).includes('"billing"')))(
    'are found in an answer of %s, and its envelope is not',
    (_, answer) => expect([...new Set(textsOfAnswer(answer))]).toEqual(['billing']),
  )

  it.each(Object.entries(ANSWERS).filter(([, answer]) => !JSON.stringify(answer).includes('"billing"')))(
    'are not found in an answer of %s, which has none',
    (_, answer) => expect(textsOfAnswer(answer)).toEqual([]),
  )

  it('are those of an answer of OpenAI responses, which repeats its parameters', () => {
    const echoed = { instructions: 'decoy', tools: [TOOL], text: { format: SCHEMA_OF_ANSWER } }
    expect(textsOfAnswer({ ...ANSWERS['OpenAI responses'], ...echoed })).toEqual(['billing'])
  })

  it('hold arguments and results of tools, without their names', () => {
    const call = { id: 'decoy', function: { name: 'decoy', arguments: '{"decoy":"late parcel","n":7}' } }
    const messages = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'decoy', content: '{"decoy":["lost"]}' },
    ]
    expect(textsOfPrompt({ model: 'decoy', messages })).toEqual(['late parcel', '7', 'lost'])
    expect(textsOfPrompt({ decoy: 'late parcel', prompt: 'x' }, 'tool_call')).toEqual(['late parcel', 'x'])
    expect(textsOfAnswer({ decoy: { decoy: 'lost' } }, 'tool_result')).toEqual(['lost'])
  })

  it('are the values of an answer in JSON, whose names are those of its schema', () => {
    const answer = {
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: '{"decoy":"a \\"refund\\""}' } }],
    }
    expect(textsOfAnswer(answer)).toEqual(['a "refund"'])
  })

  it('are read as far as a payload goes', () => {
    const whole = JSON.stringify(PROMPTS['OpenAI chat'])
    for (let length = 0; length < whole.length; length++) {
      const { input } = messageTexts({ kind: 'llm_call', input: whole.slice(0, length), output: null })
      expect(input.join(), whole.slice(0, length)).not.toMatch(/deco/)
    }
    const cut = whole.slice(0, whole.indexOf('please'))
    expect(messageTexts({ kind: 'llm_call', input: cut, output: null }).input).toEqual(['A refund, '])
  })

  it.each([
    'no JSON',
    '[',
    '{"messages":[{"role":"user"}]}',
    '['.repeat(100_000),
    '{"a":'.repeat(50_000),
    '7',
    'null',
  ])('are none where there is no text: %.20s', input =>
    expect(messageTexts({ kind: 'llm_call', input, output: input })).toEqual({ input: [], output: [] }),
  )
})
