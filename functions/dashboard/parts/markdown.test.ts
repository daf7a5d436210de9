import { expect, it } from 'vitest'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { isMarkdown, Markdown, weightOf } from './markdown.tsx'

it('Markdown is recognised by its syntax, and plain text is not taken for Markdown', () => {
  for (const text of [
    '# Title',
    '```\ncode\n```',
    '|a|b|\n|-|-|\n|1|2|',
    'so **bold**',
    'see [it](https://a.b)',
    '- a\n- b',
    '1. a\n\n2) b',
  ])
    expect([text, isMarkdown(text)]).toEqual([text, true])
  for (const text of [
    'It is a cat.',
    '#hashtag',
    '2 ** 3 ** 4',
    'a - b\n- c',
    '{"a": [1]}',
    '[a](javascript:b)',
    '',
  ])
    expect([text, isMarkdown(text)]).toEqual([text, false])
})

it('text that is too long, or whose tables would render too large, is not treated as Markdown', () => {
  const long = `# Title\n${'a'.repeat(LIMITS.markdown_characters)}`
  expect(isMarkdown(long)).toBe(false)
  expect(isMarkdown(long.slice(0, LIMITS.markdown_characters))).toBe(true)
  const table = (columns: number, rows: number) =>
    `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(rows)}`
  expect(isMarkdown(table(10, 100))).toBe(true)
  expect(isMarkdown(table(200, 200))).toBe(false)
  expect(weightOf(table(200, 200))).toBeGreaterThan(4 * 200 * 200)
})

it('rendered Markdown contains only our own markup, and table cells have no style attribute', () => {
  const rendered = String(
    Markdown({ below: 2, text: '# <b>a</b>\n\n|a|\n|-:|\n|<i>|\n\n<https://a.b> <javascript:c>' }),
  )
  expect(rendered).toContain('<h3 dir="auto">&lt;b&gt;a&lt;/b&gt;</h3>')
  expect(rendered).toContain('<td dir="auto" class="numeric">&lt;i&gt;</td>')
  expect(rendered).toContain('<a href="https://a.b">')
  expect(rendered).not.toMatch(/style=|<b>|<i>|javascript:c"/)
})

it('headings rank below the one of the page, and skip no level, whatever their text skips', () => {
  const levels = (text: string, below: number) =>
    [...String(Markdown({ text, below })).matchAll(/<(h\d)/g)].map(([, level]) => level)
  expect(levels('# a\n\n## b\n\n# c', 2)).toEqual(['h3', 'h4', 'h3'])
  expect(levels('### a\n\n###### b\n\n# c', 2)).toEqual(['h3', 'h4', 'h3'])
  expect(levels('# a\n\n## b\n\n### c\n\n# d', 4)).toEqual(['h5', 'h6', 'h6', 'h5'])
})
