import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { promptHead } from './clustering.ts'

const head = (value: unknown) => promptHead(JSON.stringify(value))

describe('the head of a prompt', () => {
  it('is a string input itself, with white space folded', () => {
    expect(head('  Where\n\tis   my order? ')).toBe('Where is my order?')
  })

  it('is the first field of an object that has text, in a fixed order', () => {
    expect(head({ text: 'the text', prompt: 'the prompt' })).toBe('the prompt')
    expect(head({ prompt: ' ', text: 'the text' })).toBe('the text')
    expect(head({ prompt: 7, message: 'hello' })).toBe('hello')
  })

  it('is the text of messages, as strings, contents or parts', () => {
    const messages = [
      'first',
      { role: 'user', content: 'second' },
      { role: 'user', content: [{ type: 'text', text: 'third' }, { type: 'image' }, 'fourth'] },
    ]
    expect(head({ messages })).toBe('first second third fourth')
  })

  it('is the JSON of anything else, whatever the order of its keys', () => {
    expect(promptHead('{"b": [1, {"d":2,"c":3}],  "a": null}')).toBe('{"a":null,"b":[1,{"c":3,"d":2}]}')
    expect(promptHead('[1, 2.0]')).toBe('[1,2]')
    expect(head({ prompt: { nested: 'text' } })).toBe('{"prompt":{"nested":"text"}}')
  })

  it('is the same for composed and decomposed letters, kinds of spaces and control characters', () => {
    expect(head('cafe\u0301\u0000\u00a0x')).toBe(head('café x'))
  })

  it('has at most 200 characters, and never half of one [clusters.grouping]', () => {
    expect([...head('😀'.repeat(300))]).toHaveLength(200)
    expect(head(`${'a'.repeat(200)}b`)).toBe(head(`${'a'.repeat(200)}c`))
    expect(head(`${'a'.repeat(199)}b`)).not.toBe(head(`${'a'.repeat(199)}c`))
  })

  it('is storable text of at most 200 characters for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
        const text = head(value)
        expect([...text].length).toBeLessThanOrEqual(200)
        expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
        expect(text.isWellFormed()).toBe(true)
        expect(head(value)).toBe(text)
      }),
    )
  })
})
