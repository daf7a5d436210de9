import { describe, expect, it } from 'vitest'
import { ago, brief, bytes, clock, duration, money, shorten, spend, widthOf } from './format.ts'

describe('figures', () => {
  it.each([
    [0, '$0'],
    [0.0000123, '$0.0000123'],
    [0.00456, '$0.00456'],
    [0.0123, '$0.0123'],
    [0.0999, '$0.0999'],
    [0.2349, '$0.23'],
    [1234.5, '$1,234.50'],
  ])('%f dollars are shown as %s', (usd, text) => expect(money(usd)).toBe(text))

  it('mark a lower bound', () => expect(spend(0.5, true)).toBe('≥$0.50'))

  it.each([
    [12.4, '12 ms'],
    [1500, '1.5 s'],
    [61_000, '1:01'],
    [3_723_000, '1:02:03'],
  ])('%d ms are shown as %s', (ms, text) => expect(duration(ms)).toBe(text))

  it('cover clock times, sizes and ages', () => {
    expect(clock(9_400)).toBe('0:09')
    expect([bytes(12), bytes(2048), bytes(3 * 1024 ** 2), bytes(5 * 1024 ** 3)]).toEqual([
      '12 B',
      '2.0 KiB',
      '3.0 MiB',
      '5.00 GiB',
    ])
    const at = (seconds: number) =>
      ago('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:00:00Z') + seconds * 1000)
    expect([at(59), at(60), at(3600), at(86_400)]).toEqual(['59s ago', '1m ago', '1h ago', '1d ago'])
  })
})

describe('text', () => {
  it('is measured in terminal columns', () => {
    expect([
      widthOf('abc'),
      widthOf('\x1b[31mabc\x1b[39m'),
      widthOf('你好'),
      widthOf('e\u0301'),
      widthOf('🙂'),
    ]).toEqual([3, 3, 4, 1, 2])
  })

  it('is cut with an ellipsis and never inside a character', () => {
    expect(shorten('abcdef', 6)).toBe('abcdef')
    expect(shorten('abcdefg', 6)).toBe('abcde…')
    expect(shorten('你好吗', 5)).toBe('你好…')
    expect(shorten('🙂🙂🙂', 4)).toBe('🙂…')
  })

  it('of a payload is one line', () => {
    expect(brief({ a: [1, 'x\ny'] }, 80)).toBe('{"a":[1,"x\\ny"]}')
    expect(brief('two\nlines', 80)).toBe('two lines')
    expect(brief('x'.repeat(1_000_000), 10)).toBe('xxxxxxxxx…')
  })
})
