import { expect, it } from 'vitest'
import { textWithoutMarks, withoutMarks } from './recorded.ts'

it.each([
  [{ id: 'a', $getters: { output_text: 'hi' } }, { id: 'a' }],
  [
    { choices: [{ message: { content: 'hi', $getters: {} } }] },
    { choices: [{ message: { content: 'hi' } }] },
  ],
  // Data of the author's own with such a name are written with one more sign.
  [
    { $$getters: { a: 1 }, $$$at: 2 },
    { $getters: { a: 1 }, $$at: 2 },
  ],
  [{ $getters: 'not what the SDK writes' }, { $getters: 'not what the SDK writes' }],
  ['text', 'text'],
  [null, null],
])('%j is shown as %j', (recorded, shown) => {
  expect(withoutMarks(recorded)).toEqual(shown)
  expect(textWithoutMarks(JSON.stringify(recorded))).toBe(JSON.stringify(shown))
})

it('leaves every other text as it was sent, numbers included', () => {
  const text = '{"n": 12345678901234567890, "t": "$getters"}'
  expect(textWithoutMarks(text)).toBe(text)
})
