import { describe, expect, it } from 'vitest'
import { looseLines, type UnreadableLine } from './loose-lines.ts'
import { LineError } from './ndjson.ts'

const BOUNDS = { line_bytes: 20, skipped_bytes: 100 }
const bytes = (text: string) => new TextEncoder().encode(text)

async function* piecesOf(whole: Uint8Array, size: number) {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
}

/** All that is read, in pieces of each size: it must not matter where a chunk ends. */
async function read(whole: Uint8Array) {
  const all = []
  for (const size of [1, 2, 3, 7, 64, 1000]) {
    const lines: (string | UnreadableLine)[] = []
    let blank = 0
    for await (const batch of looseLines(piecesOf(whole, size), BOUNDS)) {
      lines.push(...batch.lines)
      blank += batch.blank_bytes
    }
    all.push({ lines, blank })
  }
  for (const one of all) expect(one).toEqual(all[0])
  return all[0]!
}

describe('lines of a stream that is not trusted', () => {
  it.for<[string, string[], number]>([
    ['a\nb\n', ['a', 'b'], 0],
    ['a\r\nb', ['a', 'b'], 0],
    ['\n \n\t\r\na\n', ['a'], 5],
    ['{"a":"\u00e9"}\n', ['{"a":"\u00e9"}'], 0],
    ['', [], 0],
    [`${'x'.repeat(20)}\r\n`, ['x'.repeat(20)], 0],
  ])('are read as they are: %j', async ([text, lines, blank]) => {
    expect(await read(bytes(text))).toEqual({ lines, blank })
  })

  it('have their numbers, with blank and unreadable lines counted, wherever a chunk ends', async () => {
    const whole = bytes(`a\n\nb\r\n \n${'x'.repeat(50)}\n\n\nc`)
    for (const size of [1, 2, 3, 7, 64, 1000]) {
      const numbers: number[] = []
      for await (const batch of looseLines(piecesOf(whole, size), BOUNDS)) numbers.push(...batch.numbers)
      expect(numbers).toEqual([1, 3, 5, 8])
    }
  })

  it('that are too long are known by their beginning and their end, and spoil no other', async () => {
    const { lines } = await read(bytes(`a\n{"seq":7,${'x'.repeat(40)},"end":1}\nb\n`))
    expect(lines).toEqual([
      'a',
      {
        problem: 'the line is longer than 20 bytes',
        head: expect.stringMatching(/^\{"seq":7,x+/),
        tail: expect.stringMatching(/,"end":1\}$/),
        bytes: expect.any(Number),
      },
      'b',
    ])
  })

  it('that are not UTF-8 are shown with a mark for each bad byte, and spoil no other', async () => {
    const bad = Uint8Array.from([...bytes('{"a":"caf'), 0xe9, ...bytes('"}\n')])
    const { lines } = await read(Uint8Array.from([...bytes('a\n'), ...bad, ...bytes('b\n')]))
    expect(lines).toEqual([
      'a',
      { problem: 'the line is not valid UTF-8', head: '{"a":"caf\ufffd"}', tail: '', bytes: bad.length },
      'b',
    ])
  })

  it('without an end are read up to a bound', async () => {
    async function* endless() {
      for (;;) yield bytes('x'.repeat(30))
    }
    const reading = async () => {
      for await (const _ of looseLines(endless(), BOUNDS));
    }
    await expect(reading()).rejects.toThrow(LineError)
  })

  it('are shown by their beginning where their end does not come within a bound, once each', async () => {
    const seen: string[] = []
    const endless = { bytes: 50, seen: (head: string) => void seen.push(head) }
    async function* chunks() {
      yield bytes('short\nfirst ')
      for (let i = 0; i < 5; i++) yield bytes('x'.repeat(15))
      yield bytes('\nsecond ')
      for (let i = 0; i < 5; i++) yield bytes('y'.repeat(15))
      yield bytes('\n')
    }
    for await (const _ of looseLines(chunks(), { ...BOUNDS, skipped_bytes: 200, endless }));
    expect(seen).toEqual([`first ${'x'.repeat(20 + 2 - 6)}`, `second ${'y'.repeat(20 + 2 - 7)}`])
  })
})
