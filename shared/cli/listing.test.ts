import { expect, it } from 'vitest'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import { printList, sinceOf } from './listing.ts'
import type { PageQuery } from './pages.ts'

const NOW = Date.parse('2026-03-02T12:00:00Z')
const MINUTE = 60_000

it('--since takes a duration or a time', () => {
  expect(sinceOf('90s', NOW)).toBe(NOW - 90_000)
  expect(sinceOf('2h', NOW)).toBe(NOW - 120 * MINUTE)
  expect(sinceOf('1w', NOW)).toBe(NOW - 7 * 24 * 60 * MINUTE)
  expect(sinceOf('2026-03-01', NOW)).toBe(Date.parse('2026-03-01T00:00:00Z'))
  expect(sinceOf('2026-03-02T10:00:00+02:00', NOW)).toBe(Date.parse('2026-03-02T08:00:00Z'))
  expect(sinceOf(undefined, NOW)).toBeUndefined()
})

it.each(['soon', '2', 'h', '2 h', '-2h', '2026', '2026-13-40', '2h30m'])(
  '--since %j is refused with the accepted forms',
  text => {
    expect(() => sinceOf(text, NOW)).toThrow(/it must be 90s, 30m, 2h, 3d or 1w, or a time/)
  },
)

/** A listing with one row per minute, newest first, in pages of ten; and the pages that were read. */
function minutes(rows: number) {
  const pages: string[] = []
  const all = Array.from({ length: rows }, (_, at) => ({
    id: at,
    at: new Date(NOW - at * MINUTE).toISOString(),
  }))
  return {
    pages,
    listing: {
      event: 'minute',
      empty: 'no minutes',
      page: 10,
      async read({ limit, cursor }: PageQuery) {
        const from = Number(cursor ?? 0)
        pages.push(`${from}+${limit}`)
        const rows = all.slice(from, from + limit)
        return { rows, next: from + limit < all.length ? String(from + limit) : undefined }
      },
      keyOf: (row: { id: number }) => String(row.id),
      cameAt: (row: { id: number }) => all[row.id]!.at,
      text: (rows: { id: number }[]) => rows.map(row => `#${row.id}`).join(' '),
    },
  }
}

it('a list shows --limit rows, reads on for some pages to count, and says how many there are at least', async () => {
  const { listing, pages } = minutes(100)
  await printList(answering({})(80), given({ limit: '15' }), listing)
  expect(pages.slice(0, 3)).toEqual(['0+10', '10+5', '15+10'])
  expect(printed()).toContain('#14')
  expect(printed('notes')).toBe('the first 15 of more than 65 minutes; --limit N shows more\n')
})

it.each([
  [{ limit: '15' }, 40, 'the first 15 of 40 minutes; --limit N shows more\n'],
  [
    { limit: '15', since: new Date(NOW - 29.5 * MINUTE).toISOString() },
    100,
    'the first 15 of 30 minutes; --limit N shows more\n',
  ],
  [{ limit: '40' }, 40, ''],
])('a list with %j of %i rows says how many there are if it shows fewer', async (options, rows, note) => {
  await printList(answering({})(80), given(options), minutes(rows).listing)
  expect(printed('notes')).toBe(note)
})

it('a list reads no further page if the server reports the total', async () => {
  const { listing, pages } = minutes(100)
  await printList(answering({})(80), given({ limit: '5' }), { ...listing, total: async () => 1234 })
  expect(pages).toEqual(['0+5'])
  expect(printed('notes')).toBe('the first 5 of 1,234 minutes; --limit N shows more\n')
})

it('a list is counted page by page if the server cannot report the total', async () => {
  const { listing } = minutes(30)
  await printList(answering({})(80), given({ limit: '5' }), { ...listing, total: async () => undefined })
  expect(printed('notes')).toBe('the first 5 of 30 minutes; --limit N shows more\n')
})

it('a list stops at --since, and reads no page beyond it', async () => {
  const { listing, pages } = minutes(100)
  const since = new Date(NOW - 11.5 * MINUTE).toISOString()
  await printList(answering({})(80), given({ since }), listing)
  expect(pages).toEqual(['0+10', '10+10'])
  expect(printed().trim().split(' ').at(-1)).toBe('#11')
  expect(printed('notes')).toBe('')
})

it('a list that is empty since a time says so', async () => {
  await printList(answering({})(80), given({ since: '1s' }), minutes(0).listing)
  expect(printed()).toBe('nothing since 1s\n')
})
