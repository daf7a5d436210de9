// A text as the Markdown it is. Guarantee: nothing of it is markup of its own, and nothing is loaded from elsewhere: HTML is
// text, an image is a link, and links begin with http, https or mailto.

import { raw } from 'hono/html'
import MarkdownIt from 'markdown-it'
import { LIMITS } from '../../../shared/kernel/limits.ts'

// Without images, `![a](b)` is a mark and a link.
const markdown = new MarkdownIt({ html: false, linkify: false, maxNesting: 20 }).disable('image')
markdown.validateLink = url => /^(?:https?:|mailto:)/i.test(url)
// Cells say by a style where they stand, and the page allows none.
for (const cell of ['th_open', 'td_open'])
  markdown.renderer.rules[cell] = (tokens, at) => {
    const isNumeric = tokens[at]!.attrGet('style') === 'text-align:right'
    return `<${tokens[at]!.tag}${isNumeric ? ' class="numeric"' : ''}>`
  }
// Headings stand below those of the page.
for (const heading of ['heading_open', 'heading_close'])
  markdown.renderer.rules[heading] = (tokens, at) => {
    const { tag, nesting } = tokens[at]!
    return `<${nesting === 1 ? '' : '/'}h${Math.min(6, Number(tag.slice(1)) + 3)}>`
  }

/** A heading, a fence, a table, bold text, a link, a list. */
const SIGNS = [
  /^#{1,6} \S/m,
  /^```/m,
  /^\|(?: *:?-+:? *\|)+ *$/m,
  /\*\*[^*\s][^*\n]*\*\*/,
  /\[[^[\]\n]+\]\(https?:/,
  /^ {0,3}(?:[-*+]|\d{1,3}[.)]) \S.*\n+ {0,3}(?:[-*+]|\d{1,3}[.)]) \S/m,
]

/** Whether it reads as such, and is not too long to be rendered. */
export const isMarkdown = (text: string): boolean =>
  text.length <= LIMITS.markdown_characters &&
  SIGNS.some(sign => sign.test(text)) &&
  weightOf(text) <= LIMITS.markdown_characters

const CELL = 4 // characters that one is as much work as

/** Its characters, and the cells it may come to: those that rows lack are made, so a few characters could be a long page. */
export const weightOf = (text: string): number =>
  text.split(/\n[ \t]*\n/).reduce((sum, block) => {
    const pipes = block.split('\n').map(line => line.split('|').length - 1)
    return sum + CELL * pipes.length * pipes.reduce((most, one) => Math.max(most, one), 0)
  }, text.length)

/** The keyboard can scroll in it. */
export const Markdown = ({ text }: { text: string }) => (
  <section class="markdown" aria-label="Rendered text" tabindex={0}>
    {raw(markdown.render(text))}
  </section>
)
