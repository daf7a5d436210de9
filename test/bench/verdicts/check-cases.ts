// Answers of our own for each check over an answer, made of pieces: some hundred that the check should find, and as many that
// it should pass.

import type { Asked } from '../../../shared/grading/rules/checks.ts'
import type { CheckName } from '../../../shared/grading/vocabulary.ts'
import { ECHOES, LANGUAGE_TEXTS } from './asked-cases.ts'
import { CALL_MENTIONS, CALL_TEXTS } from './call-texts.ts'

export interface CheckCase {
  text: string
  asked?: Asked
}

/** Every text that can be made of one piece from each list. */
const made = (...lists: readonly (readonly string[])[]) =>
  lists.reduce<string[]>((texts, list) => texts.flatMap(text => list.map(piece => text + piece)), [''])

/** The tokens of DeepSeek count wherever they stand; a turn that begins with thinking, or a fence, follows no sentence. */
const CALLS = Object.entries(CALL_TEXTS).flatMap(([name, call]) =>
  /^DeepSeek$|after thinking|fence/.test(name) ? [] : [call],
)

const MATERIAL = [
  'text',
  'ticket',
  'document',
  'article',
  'transcript',
  'email',
  'passage',
  'review',
  'code',
  'file',
]
const TASKS = ['summarize', 'classify', 'translate', 'review', 'analyze', 'rewrite', 'extract the dates from']
const ORDERS = made(
  ['The order', 'The parcel', 'The invoice', 'The refund', 'This request', 'The customer'],
  [' arrived', ' was paid', ' is about billing', ' needs an answer', ' was closed', ' waits for a reply'],
  [
    '.',
    ' on Monday.',
    ' last week, as the note says.',
    '. Nothing else is open.',
    ' and is urgent.',
    '; see page 4.',
    ' again.',
  ],
)
const DATA = made(
  [
    '{"label": "billing", ',
    '{"items": [1, 2, {"a": "b"}], ',
    '{"text": "a \\"quoted\\" {brace", ',
    '[{"id": 1}, {',
  ],
  ['"score": 0.5', '"tags": ["a", "b"]', '"note": "none"', '"ok": true', '"n": null'],
  [', "by": "x"', ', "at": "2026-11-22"', ', "sum": 12.5', ''],
).map(text => (text.startsWith('[') ? `${text}}]` : `${text}}`))
const SENTENCES = [
  'It is a fine day',
  'The cat sat on the mat',
  'Thank you for your question',
  'Es geht Schritt für Schritt',
  '我们现在继续讨论这个问题',
]

const LABELS = ['A', 'billing', 'ok', 'not spam', 'needs human review', '账单问题', '- Label: billing']

const TEXTS: Record<
  Exclude<CheckName, 'echoes_prompt' | 'wrong_language'>,
  Record<'found' | 'passed', string[]>
> = {
  asks_back: {
    found: [
      ...TASKS.flatMap(task =>
        made(
          [
            'Please provide the ',
            'Could you please share the ',
            'Sure! Please paste the ',
            'Can you send me the ',
          ],
          MATERIAL,
          [` you would like me to ${task}.`],
        ),
      ),
      ...made(["I don't see any ", 'There is no '], MATERIAL, [
        ' in your message. Please share it.',
        '. Could you paste it here?',
      ]),
      ...made(['It looks like you haven’t included the '], MATERIAL, [
        '. Please provide it and I will begin.',
      ]),
    ],
    passed: [
      ...ORDERS,
      ...made(
        ['Dear Ann,\n\n', 'Hi Tom,\n', 'Hello,\n'],
        ['Please send us the document', 'Could you share the email'],
        [' that you would like us to check.', ' so that I can help.'],
      ),
      ...made(
        ['Customer asks to please '],
        ['send the document', 'share the file', 'provide the list'],
        [' again.', ' by Friday.'],
      ),
      ...made(
        ['There is no ', 'I do not see a '],
        ['mention of money', 'refund', 'reason to worry'],
        [' in this ticket.', ' here.'],
      ),
    ],
  },
  cannot_look_up: {
    found: [
      ...made(
        ["I'm sorry, but I ", 'Unfortunately, I ', 'As an AI, I ', 'I ', 'Good question! I '],
        [
          "don't have access to real-time data",
          'do not have direct access to the internet',
          'cannot browse the web',
          "can't access external websites",
          'can’t open links',
          "don't have the ability to check prices",
          "can't look that up",
          'cannot search the web',
          "can't visit websites",
          'cannot access live scores',
        ],
        ['.', ', so I cannot tell.', '. Please check the official site.', ' at the moment.'],
      ),
      ...made(
        ["I'm unable to ", "I'm not able to ", 'I am not able to '],
        ['browse', 'access the internet', 'open URLs'],
        ['.', ' right now.'],
      ),
    ],
    passed: [
      ...ORDERS,
      ...made(
        [
          'The customer cannot ',
          "She can't ",
          'Users are unable to ',
          'Our staff cannot ',
          'The customer says: they do not ',
        ],
        ['access the internet', 'open links in the app', 'browse the shop', 'have access to the web portal'],
        ['.', ' since Monday.'],
      ),
    ],
  },
  repeats: {
    found: made(SENTENCES, ['. ', ', ', '\n', ' | '], ['']).flatMap(piece =>
      [40, 60, 80, 100, 150, 200].flatMap(times => [
        piece.repeat(times),
        `The answer is this.\n${piece.repeat(times)}`,
      ]),
    ),
    passed: [
      ...ORDERS,
      ...[3, 40, 300].flatMap(n => ['-'.repeat(n), '| - | - |\n'.repeat(n), '0, '.repeat(n), '=='.repeat(n)]),
      Array.from({ length: 100 }, (_, i) => `Line ${i}: the order ${i * 7} was sent.`).join('\n'),
      ...ORDERS.map(text => `${text} `.repeat(2)),
      ...['{"label": "billing", "score": 0.9}\n', '| billing | high |\n'].map(row => row.repeat(60)),
      ...made(LABELS, ['\n', ', ', ',', ' | ', '; ', '\n\n']).flatMap(label =>
        [40, 60, 200].flatMap(times => [
          label.repeat(times),
          `The labels are:\n${label.repeat(times)}`,
          label.repeat(times).replace(/[\s,;|]+$/, ''),
        ]),
      ),
    ],
  },
  template_leak: {
    found: [
      ...made(
        SENTENCES,
        ['', '. '],
        [
          '<|im_end|>',
          '[INST]',
          '[/INST]',
          '<|eot_id|>',
          '<end_of_turn>',
          '<|endoftext|>',
          '<<SYS>>',
          '<｜end▁of▁sentence｜>',
          '<|start_header_id|>user',
          ' Run `ls`:\n```\nls -l\n```<|im_end|>',
        ],
        ['', '\nAnother turn.', ' '],
      ),
      ...made(['', 'I will look up the order.\n\n', '<think>The order is needed.</think>\n'], CALLS, [
        '',
        '\n',
      ]),
    ],
    passed: [
      ...ORDERS,
      ...CALLS.flatMap(call => CALL_MENTIONS.map(mention => mention(call))),
      ...made(
        SENTENCES,
        [' <b>', ' <|', ' [INSTALL]', ' `<|im_end|>`', ' [1]', ' a || b', ' <start>'],
        ['', ' and more.'],
      ),
      ...made(
        SENTENCES,
        ['. '],
        [
          'Use `<|im_start|>user … <|im_end|>` here.',
          'Use ``<|im_end|>`` here.',
          'Each turn is `[INST] a question [/INST] an answer`, again and again.',
          '\n```\n<|im_start|>user\nHello<|im_end|>\n```\n',
          '\n~~~text\n<<SYS>>\nBe brief.\n<</SYS>>\n~~~',
          '\n```jinja\n{{ bos }}[INST] {{ message }} [/INST]\n```\nThe end.',
          '\n```\n<|start_header_id|>user<|end_header_id|>\nThe format goes on',
          'It ends with "<|im_end|>".',
          'Two tokens (<|endoftext|>) close it.',
          `\n\`\`\`\n${'<|im_start|>user\nHello<|im_end|>\n'.repeat(700)}\`\`\`\nThat is all.`,
        ],
        [''],
      ),
    ],
  },
  fenced_json: {
    found: [
      ...made(['```json\n', '```\n', 'Here is the JSON:\n```json\n', 'Sure:\n\n'], DATA, ['']).map(text =>
        text.includes('```') ? `${text}\n\`\`\`` : text,
      ),
      ...made(['Here it is:\n'], DATA, ['\nAnything else?']),
    ],
    passed: [
      ...ORDERS,
      ...DATA,
      ...made(
        [
          '```python\nprint({"a": 1})\n```',
          '```\nls -l\n```',
          'Use `{"a": 1}` for that.',
          'A list:\n[x] one\n[ ] two',
        ],
        ['', '\nDone.'],
      ),
      ...DATA.map(
        text => `How to call it is explained ${'at length '.repeat(30)}here.\n\n\`\`\`json\n${text}\n\`\`\``,
      ),
    ],
  },
  cut_json: {
    found: DATA.flatMap(text =>
      [0.4, 0.6, 0.8, 0.95].map(share => text.slice(0, Math.floor(text.length * share))),
    ),
    passed: [
      ...DATA,
      ...DATA.map(text => `\`\`\`json\n${text}\n\`\`\``),
      ...ORDERS,
      '[Your Name]',
      '[x] done',
      '{name} is here',
      '[1] See above',
    ],
  },
  placeholders: {
    found: made(
      ['Dear ', 'Best regards,\n', 'Please call ', 'Signed: ', 'We at '],
      [
        '[Your Name]',
        '[Customer Name]',
        '[Company Name]',
        '[Insert Date Here]',
        '[Date]',
        '[Phone Number]',
        '[your email address]',
        '[Name]',
      ],
      ['', ',', '\nThanks.', ' today.', '.'],
    ),
    passed: [
      ...ORDERS,
      ...made(
        ['See ', 'As in ', 'It says '],
        [
          '[1]',
          '[the report](https://example.test)',
          '[sic]',
          '[name](https://example.test)',
          '[Fig. 2]',
          'array[index]',
          '[...]',
        ],
        ['', '.', ' above.'],
      ),
    ],
  },
}

const cases = (texts: readonly string[]): CheckCase[] => texts.map(text => ({ text }))

export const CHECK_CASES = {
  ...Object.fromEntries(
    Object.entries(TEXTS).map(([name, { found, passed }]) => [
      name,
      { found: cases(found), passed: cases(passed) },
    ]),
  ),
  echoes_prompt: ECHOES,
  wrong_language: LANGUAGE_TEXTS,
} as Record<CheckName, Record<'found' | 'passed', CheckCase[]>>
