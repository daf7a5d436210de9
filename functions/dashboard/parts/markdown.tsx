// Renders a text as Markdown. Guarantee: the text adds no HTML of its own and loads nothing: HTML is shown as text, an
// image is a link, and links begin with http, https or mailto.

import { raw } from 'hono/html'
import MarkdownIt, { type Token } from 'markdown-it'
import { LIMITS } from '../../../shared/kernel/limits.ts'

// Without images, `![a](b)` renders as an exclamation mark and a link.
const markdown = new MarkdownIt({ html: false, linkify: false, maxNesting: 20 }).disable('image')
markdown.validateLink = url => /^(?:https?:|mailto:)/i.test(url)
// markdown-it aligns cells by inline styles, which the page's content security policy forbids.
for (const cell of ['th_open', 'td_open'])
  markdown.renderer.rules[cell] = (tokens, at) => {
    const isNumeric = tokens[at]!.attrGet('style') === 'text-align:right'
    return `<${tokens[at]!.tag}${isNumeric ? ' class="numeric"' : ''}>`
  }

/** Ranks headings below the page's own, and none more than one below the heading before it. */
function rank(tokens: Token[], above: number): void {
  let last = above
  for (const token of tokens) {
    if (token.type === 'heading_open') last = Math.min(6, last + 1, above + Number(token.tag.slice(1)))
    if (token.type.startsWith('heading_')) token.tag = `h${last}`
  }
}

// Each block runs in the direction of its own text.
for (const block of [
  'paragraph_open',
  'heading_open',
  'list_item_open',
  'blockquote_open',
  'th_open',
  'td_open',
])
  directed(block)

function directed(block: string): void {
  const render = markdown.renderer.rules[block]
  markdown.renderer.rules[block] = (tokens, at, options, env, self) => {
    if (tokens[at]!.hidden) return ''
    const html = render?.(tokens, at, options, env, self) ?? self.renderToken(tokens, at, options)
    return html.replace(/^(\n?<\w+)/, '$1 dir="auto"')
  }
}

/** Signs of Markdown: a heading, a fence, a table, bold text, a link, a list. */
const SIGNS = [
  /^#{1,6} \S/m,
  /^```/m,
  /^\|(?: *:?-+:? *\|)+ *$/m,
  /\*\*[^*\s][^*\n]*\*\*/,
  /\[[^[\]\n]+\]\(https?:/,
  /^ {0,3}(?:[-*+]|\d{1,3}[.)]) \S.*\n+ {0,3}(?:[-*+]|\d{1,3}[.)]) \S/m,
]

/** Whether the text looks like Markdown and is not too long to render. */
export const isMarkdown = (text: string): boolean =>
  text.length <= LIMITS.markdown_characters &&
  SIGNS.some(sign => sign.test(text)) &&
  weightOf(text) <= LIMITS.markdown_characters

const CELL = 4 // a cell is as much work as this many characters

/**
 * The cost of rendering, in characters: the text's length plus its table cells. Cells that rows lack are added when
 * rendering, so a few characters could make a long page.
 */
export const weightOf = (text: string): number =>
  text.split(/\n[ \t]*\n/).reduce((sum, block) => {
    const pipes = block.split('\n').map(line => line.split('|').length - 1)
    return sum + CELL * pipes.length * pipes.reduce((most, one) => Math.max(most, one), 0)
  }, text.length)

interface MarkdownProps {
  text: string
  /** The level of the heading that it stands below. */
  below: number
}

/** The rendered text; it takes the focus, so that the keyboard can scroll it. */
export const Markdown = ({ text, below }: MarkdownProps) => {
  const tokens = markdown.parse(text, {})
  rank(tokens, below)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div class="markdown" role="group" aria-label="Rendered text" tabindex={0}>
      {raw(markdown.renderer.render(tokens, markdown.options, {}))}
    </div>
  )
}
