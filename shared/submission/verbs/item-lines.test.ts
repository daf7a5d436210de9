import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { itemOfBody, itemsOfLines, parseItemLine } from './item-lines.ts'

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

async function collect<T>(batches: AsyncIterable<T[]>): Promise<T[]> {
  const all: T[] = []
  for await (const batch of batches) all.push(...batch)
  return all
}

describe('parseItemLine', () => {
  it('keeps any input as the text that was sent', () => {
    fc.assert(
      fc.property(fc.json(), input => {
        expect(parseItemLine(`{"item_id":"a\\u0062","input": ${input} }`, 7)).toEqual({
          line: 7,
          item_id: 'ab',
          partition_key: null,
          input: input.trim(),
        })
      }),
    )
  })

  it('takes an input of exactly the limit, in bytes, and none that is longer', () => {
    const euro = '€'.repeat((LIMITS.item_input_bytes - 2) / 3)
    const rest = 'x'.repeat(LIMITS.item_input_bytes - 2 - euro.length * 3)
    expect(parseItemLine(`{"input":"${euro}${rest}"}`, 1).input.length).toBe(euro.length + rest.length + 2)
    expect(() => parseItemLine(`{"input":"${euro}${rest}x"}`, 1)).toThrow('input is longer than')
  })
})

describe('itemsOfLines', () => {
  it('numbers items by their physical line', async () => {
    const items = await collect(itemsOfLines(bytesOf('\n{"input":1}\n\n\r\n{"input":2}')))
    expect(items.map(item => [item.line, item.input])).toEqual([
      [2, '1'],
      [5, '2'],
    ])
  })

  it('returns no items after a bad line', async () => {
    const seen: number[] = []
    const read = async () => {
      for await (const items of itemsOfLines(bytesOf('{"input":1}\n\n{}\n\n{"input":2}'))) {
        seen.push(...items.map(item => item.line))
      }
    }
    await expect(read()).rejects.toMatchObject({
      code: 'invalid_line',
      message: expect.stringContaining('Line 3'),
    })
    expect(seen).toEqual([1])
  })
})

describe('itemOfBody', () => {
  it('takes the item from a body with other fields', async () => {
    const body = '{"budget_cents":5, "input": [1, 2], "item_id":"\\u0041"}'
    const [item] = await collect(itemOfBody(body))
    expect(item).toEqual({ line: 1, item_id: 'A', partition_key: null, input: '[1, 2]' })
  })
})
