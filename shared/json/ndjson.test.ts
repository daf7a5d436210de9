import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineError, ndjsonLines } from './ndjson.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function* stream(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** Every line with its number. */
async function numbered(chunks: Uint8Array[], maxLineBytes = 1000): Promise<[number, string][]> {
  const seen: [number, string][] = []
  for await (const { first_line, lines } of ndjsonLines(stream(chunks), maxLineBytes)) {
    lines.forEach((line, i) => {
      seen.push([first_line + i, line])
    })
  }
  return seen
}

async function refusal(chunks: Uint8Array[], maxLineBytes = 1000): Promise<LineError> {
  const error = await numbered(chunks, maxLineBytes).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(LineError)
  return error as LineError
}

function cut(all: Uint8Array, places: number[]): Uint8Array[] {
  const at = [...new Set([0, ...places.map(place => place % (all.length + 1)), all.length])].sort(
    (a, b) => a - b,
  )
  return at.slice(1).map((end, i) => all.subarray(at[i]!, end))
}

describe('lines of a stream', () => {
  it('come with their numbers; blank lines are left out but counted', async () => {
    expect(await numbered([bytes('a\n\n \t\r\nb\r\nc')])).toEqual([
      [1, 'a'],
      [4, 'b'],
      [5, 'c'],
    ])
  })

  it('come in one batch per chunk if none is blank', async () => {
    const batches = []
    for await (const batch of ndjsonLines(stream([bytes('a\nb\nc'), bytes('d\ne\n')]), 10))
      batches.push(batch)
    expect(batches).toEqual([
      { first_line: 1, lines: ['a', 'b'] },
      { first_line: 3, lines: ['cd', 'e'] },
    ])
  })

  it('are none if the stream is empty or has only newlines', async () => {
    expect(await numbered([])).toEqual([])
    expect(await numbered([new Uint8Array(0), bytes('\n\r\n\n')])).toEqual([])
  })

  it('keep spaces and a carriage return within the line', async () => {
    expect(await numbered([bytes(' a\rb \n')])).toEqual([[1, ' a\rb ']])
  })

  it('lose a byte order mark at the start of the stream and nowhere else', async () => {
    expect(await numbered([bytes('\ufeffa\n'), bytes('\ufeffb\n')])).toEqual([
      [1, 'a'],
      [2, '\ufeffb'],
    ])
  })

  it('are intact even if the source reuses its buffer', async () => {
    async function* reusing() {
      const buffer = new Uint8Array(2)
      for (const text of ['ab', 'cd', 'e\n']) {
        buffer.set(bytes(text))
        yield buffer
      }
    }
    const lines: string[] = []
    for await (const batch of ndjsonLines(reusing(), 10)) lines.push(...batch.lines)
    expect(lines).toEqual(['abcde'])
  })

  it('do not depend on how the stream is cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' ', '\r', '\n', '"') })),
        fc.array(fc.nat()),
        async (parts, places) => {
          const text = parts.join('\n')
          const expected = text
            .split('\n')
            .map((line, i): [number, string] => [i + 1, line.replace(/\r$/, '')])
            .filter(([, line]) => !/^[ \t\r]*$/.test(line))
          expect(await numbered(cut(bytes(text), places))).toEqual(expected)
        },
      ),
    )
  })
})

describe('a line is refused with its number', () => {
  it.each([[[0xff]], [[0xc3, 0x28]], [[0xed, 0xa0, 0x80]], [[0xc0, 0x80]], [[0xf0, 0x9f, 0x98]]])(
    'when it is not UTF-8: %j',
    async bad => {
      const all = new Uint8Array([...bytes('one\n\nthree\n'), ...bad, 0x0a, ...bytes('five\n')])
      for (const places of [[], [12], [3, 11, 13]]) {
        expect(await refusal(cut(all, places))).toMatchObject({ code: 'invalid_utf8', line: 4 })
      }
      expect(await refusal([all.subarray(0, all.length - 6)])).toMatchObject({
        code: 'invalid_utf8',
        line: 4,
      })
    },
  )

  it('when it is longer than the limit, in bytes, without its line end', async () => {
    expect(await numbered([bytes('ééé\r\n12345\n')], 6)).toHaveLength(2)
    expect(await refusal([bytes('a\nb\néééé\n')], 7)).toMatchObject({ code: 'line_too_long', line: 3 })
    expect(await refusal([bytes('a\nb\n'), bytes('1234'), bytes('5678')], 7)).toMatchObject({ line: 3 })
    expect(await refusal([bytes('a\n1234'), bytes('5678\n')], 7)).toMatchObject({ line: 2 })
  })

  it('when it is over the limit by a byte, but not when its line end comes later', async () => {
    expect(await numbered([bytes('1234567'), bytes('\r'), bytes('\n')], 7)).toEqual([[1, '1234567']])
    expect(await refusal([bytes('12345678')], 7)).toMatchObject({ code: 'line_too_long', line: 1 })
  })

  it('as soon as it is too long, without reading the rest of the stream', async () => {
    let read = 0
    async function* endless() {
      for (;;) {
        read++
        yield bytes('x'.repeat(100))
      }
    }
    const lines = ndjsonLines(endless(), 1000)
    await expect(lines.next()).rejects.toMatchObject({ code: 'line_too_long', line: 1 })
    expect(read).toBe(11)
  })
})
