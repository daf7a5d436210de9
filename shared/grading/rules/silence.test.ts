import { describe, expect, it } from 'vitest'
import { readRefusal } from '../../refusals/rules/refusal.ts'
import { afterThinking } from '../../refusals/rules/thinking.ts'
import { gradeItem, gradeStep } from './grading.ts'
import { saysNothing } from './silence.ts'

const thought = 'The user wants a label. I should answer billing.'

/** How families begin their thinking and how they end it. */
const MARKS: Record<string, [begin: string, end: string]> = {
  'DeepSeek, Qwen, GLM, MiniMax, Phi, Nemotron': ['<think>\n', '\n</think>'],
  'in capitals': ['<THINK>', '</THINK>'],
  Claude: ['<thinking>', '</thinking>'],
  'Claude’s apps': ['<antThinking>', '</antThinking>'],
  'a tag with attributes': ['<thinking mode="deep">', '</thinking>'],
  Seed: ['<seed:think>', '</seed:think>'],
  LongCat: ['<longcat_think>', '</longcat_think>'],
  Magistral: ['[THINK]', '[/THINK]'],
  'Kimi-VL': ['◁think▷', '◁/think▷'],
  'gpt-oss': ['<|channel|>analysis<|message|>', '<|end|>'],
  'gpt-oss, the whole turn': ['<|start|>assistant<|channel|>analysis<|message|>', '<|end|>'],
  'Gemma 4': ['<|channel>thought\n', '<channel|>'],
  MedGemma: ['<unused94>thought\n', '<unused95>'],
  'Cohere Command A': ['<|START_THINKING|>', '<|END_THINKING|>'],
  OpenThinker: ['<|begin_of_thought|>', '<|end_of_thought|>'],
  Apertus: ['<|inner_prefix|>', '<|inner_suffix|>'],
  Solar: ['<|think|>', '<|end|>'],
  Granite: ['Here is my thought process:\n', '\nHere is my response:'],
}

/** Words of prompts, and of data too. */
const WORDS: Record<string, [begin: string, end: string]> = {
  'a reason': ['<reason>', '</reason>'],
  'Exaone, Gemini': ['<thought>\n', '</thought>'],
  'reasoning of many prompts': ['<reasoning>', '</reasoning>'],
  Reflection: ['<reflection>', '</reflection>'],
  'a scratchpad': ['<scratchpad>', '</scratchpad>'],
  'an inner monologue': ['<inner_monologue>', '</inner_monologue>'],
  'a chain of thought': ['<chain_of_thought>', '</chain_of_thought>'],
  'Magistral’s marks in other words': ['[reasoning]', '[/reasoning]'],
}

describe.each(Object.entries(WORDS))('a tag of %s', (_, [begin, end]) => {
  it.each<[string, string]>([
    ['that nothing follows', `${begin}${thought}${end}\n`],
    ['that never ends', `${begin}${thought}`],
    ['twice', `${begin}${thought}${end}\n${begin}${thought}${end}`],
    ['after thinking', `<think>x</think>${begin}${thought}${end}`],
    ['before thinking', `${begin}${thought}${end}<think>x</think>`],
    ['that the request began', `${thought}${end}`],
    ['before an answer', `${begin}${thought}${end}\n\nbilling`],
  ])('%s says something', (_, text) => {
    expect(saysNothing(text)).toBe(false)
  })

  it('is thinking before an answer', () => {
    const text = `${begin}${thought}${end}\n\nbilling`
    expect(text.slice(afterThinking(text))).toBe('\n\nbilling')
    expect(saysNothing(`${begin}${thought}${end}<answer></answer>`)).toBe(true)
    expect(readRefusal(`${begin}${thought}${end}\n\nI’m sorry, but I can’t help with that.`).level).toBe(
      'sure',
    )
  })
})

describe.each(Object.entries(MARKS))('thinking of %s', (_, [begin, end]) => {
  it.each<[string, string]>([
    ['that nothing follows', `${begin}${thought}${end}\n\n`],
    ['that never ends', `${begin}${thought.slice(0, 30)}`],
    ['that is empty', `${begin}${end}`],
    ['after space', `\n ${begin}${thought}${end}`],
    ['in two pieces', `${begin}${thought}${end}\n${begin}${thought}${end}`],
    ['that only characters which do not show follow', `${begin}${thought}${end}\u200b\n\u2060`],
    ['that an empty fence follows', `${begin}${thought}${end}\n\`\`\`json\n\`\`\``],
  ])('%s says nothing', (_, text) => {
    expect(saysNothing(text)).toBe(true)
  })

  it.each<[string, string]>([
    ['before an answer', `${begin}${thought}${end}\n\nbilling`],
    ['before a short answer', `${begin}${end}1`],
    ['before JSON', `${begin}${thought}${end}{"label": "billing"}`],
    ['before an empty list', `${begin}${thought}${end}[]`],
    ['that code quotes', `\`\`\`\n${begin}${thought}${end}\n\`\`\``],
    ['that a line quotes', `The marks are \`${begin.trim()}\` and \`${end.trim()}\``],
    ['after an answer', `The label is billing.\n${begin}${thought}${end}\nThat is all.`],
  ])('%s says something', (_, text) => {
    expect(saysNothing(text)).toBe(false)
  })

  it('does not hide the refusal after it', () => {
    const refusal = 'I’m sorry, but I can’t help with that request.'
    expect(readRefusal(`${begin}${thought}${end}\n\n${refusal}`).level).toBe('sure')
  })
})

describe('thinking whose beginning was taken away', () => {
  it.each(['</think>', '</thinking>', '</seed:think>', '[/THINK]', '◁/think▷', '<|END_THINKING|>'])(
    'ends at %s, and says nothing if nothing follows',
    end => {
      expect(saysNothing(`${thought}\n${end}\n\n`)).toBe(true)
      expect(saysNothing(`${thought}${end}`)).toBe(true)
      expect(saysNothing(`${thought}\n${end}\n\nbilling`)).toBe(false)
      expect(saysNothing(`What ends the thinking is ${end}`)).toBe(false)
      expect(saysNothing(`This ends the thinking:\n${end}`)).toBe(false)
      expect(saysNothing(`It ends so.\n\`\`\`\n${thought}\n${end}\n\`\`\``)).toBe(false)
    },
  )

  it('is that of gpt-oss without its tokens', () => {
    expect(saysNothing('analysisThe user wants a label. We need to')).toBe(true)
    expect(saysNothing('analysisThe user wants a label.assistantfinal')).toBe(true)
    expect(saysNothing('analysisThe user wants a label.assistantfinalbilling')).toBe(false)
    expect(saysNothing('analysisResult is the name of a variable.')).toBe(false)
    expect(saysNothing('analysis')).toBe(false)
  })
})

describe('a text of characters that do not show', () => {
  const ignored = /\p{Default_Ignorable_Code_Point}|\p{White_Space}/u
  const all = Array.from({ length: 0x11_0000 }, (_, code) => code).filter(
    code => !(code >= 0xd800 && code < 0xe000) && ignored.test(String.fromCodePoint(code)),
  )

  it('says nothing, for every space and every character that Unicode lets fonts ignore', () => {
    expect(all.length).toBeGreaterThan(4000)
    expect(all.filter(code => !saysNothing(String.fromCodePoint(code).repeat(2)))).toEqual([])
  })

  it.each(['\u0000', '\u0007\u001b', '\u2800', '\ufffc', '\u{1d159}', '\u200b \u00ad\n\ufeff'])(
    'says nothing: %j',
    text => expect(saysNothing(text)).toBe(true),
  )

  it.each([
    '1',
    '.',
    '…',
    '-',
    'null',
    'None',
    'N/A',
    '""',
    '{}',
    '[]',
    '👍🏽',
    'ا\u200d',
    '\u200bno',
    '(empty)',
    '?',
  ])('is another thing than %j, which may be an answer', text => expect(saysNothing(text)).toBe(false))

  it('includes an empty fence, and no fence with something in it', () => {
    for (const text of ['```json\n```', '```\n\n```\n', '~~~\n~~~', '```'])
      expect(saysNothing(text), text).toBe(true)
    for (const text of ['```json\n{}\n```', '```a b```', '```js\n0\n```'])
      expect(saysNothing(text), text).toBe(false)
  })
})

it('an answer that says nothing is empty_output, for a call in any format and for the output of an item', () => {
  const text = `<think>${thought}</think>`
  const answers = [
    text,
    { choices: [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }] },
    {
      choices: [
        { message: { role: 'assistant', content: null, reasoning_content: thought }, finish_reason: 'stop' },
      ],
    },
    {
      type: 'message',
      role: 'assistant',
      stop_reason: 'end_turn',
      content: [{ type: 'thinking', thinking: thought }],
    },
    { candidates: [{ content: { parts: [{ text: thought, thought: true }] }, finishReason: 'STOP' }] },
    {
      object: 'response',
      status: 'completed',
      output: [{ type: 'reasoning', summary: [{ text: thought }] }],
    },
    {
      output: { message: { content: [{ reasoningContent: { reasoningText: { text: thought } } }] } },
      stopReason: 'end_turn',
    },
    {
      model: 'm',
      created_at: '1',
      done: true,
      done_reason: 'stop',
      message: { role: 'assistant', content: '', thinking: thought },
    },
    {
      type: 'ai',
      content: [{ type: 'thinking', thinking: thought }],
      response_metadata: { stop_reason: 'end_turn' },
    },
    { text: '', reasoningText: thought, finishReason: 'stop', usage: { inputTokens: 9, outputTokens: 3 } },
    {
      choices: [
        {
          message: { role: 'assistant', content: [{ type: 'thinking', thinking: [] }] },
          finishReason: 'stop',
        },
      ],
    },
  ]
  for (const output of answers)
    expect(
      gradeStep({ key: 'k', kind: 'llm_call', name: 'm', started_at: '', duration_ms: 0, output }),
      JSON.stringify(output),
    ).toEqual({ outcome: 'degraded', reason: 'empty_output' })
  for (const output of [text, '\u200b', '```json\n```'])
    expect(gradeItem({ output, output_text: JSON.stringify(output), steps: [] }).reason).toBe('empty_output')
})

it.each([
  '<think>',
  '<think></think>',
  '</think>',
  '[THINK]',
  '<',
  '<think',
  '\u200b',
  '`',
  '```\n',
  'analysisWe ',
  '<a:',
  '\n',
  ' .',
])('a text that only repeats %j is read in time that grows with it', piece => {
  const text = piece.repeat(300_000)
  expect(() => [saysNothing(text), afterThinking(text)]).not.toThrow()
})
