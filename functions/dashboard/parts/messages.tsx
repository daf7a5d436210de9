// Shows a model's prompt and answer as messages. Guarantee: everything is text, or Markdown without HTML of its own;
// images and files are links, and only where they begin with http.

import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Message, Part } from '../../../shared/providers/rules/conversation.ts'
import { isMarkdown, Markdown, weightOf } from './markdown.tsx'
import { Folded } from './payload.tsx'
import { counted } from './text.tsx'

interface MessagesProps {
  of: readonly Message[]
  most: number
  /** The parts to render as Markdown. */
  rendered: ReadonlySet<Part>
}

/** The text parts to render as Markdown: from the last one backwards, up to LIMITS.markdown_characters. */
export function markdownIn(messages: readonly Message[]): ReadonlySet<Part> {
  const found = new Set<Part>()
  let weight = 0
  for (const part of messages.flatMap(({ parts }) => parts).reverse()) {
    if (part.kind !== 'text' || !isMarkdown(part.text)) continue
    weight += weightOf(part.text)
    if (weight > LIMITS.markdown_characters) break
    found.add(part)
  }
  return found
}

export const Messages = ({ of, most, rendered }: MessagesProps) => {
  const left_out = leftOut(of, most)
  return (
    <ol class="messages">
      {left_out > 0 && (
        <li class="dim">{counted(left_out, 'earlier message')} not shown here; the raw JSON has them.</li>
      )}
      {of.slice(left_out).map(({ role, parts }) => (
        <li class={`message role-${ROLES.has(role) ? role : 'other'}`}>
          <span class="role">{role}</span>
          <div>
            {parts.length === 0 ? (
              <p class="dim">says nothing</p>
            ) : (
              parts.map(part => <One part={part} most={most} isRendered={rendered.has(part)} />)
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}

/** How many messages do not fit: the last ones are shown, since the call was about them. */
function leftOut(of: readonly Message[], most: number): number {
  let left_out = Math.max(0, of.length - LIMITS.page_messages)
  let room = most
  for (let at = of.length - 1; at >= left_out; at--) {
    room -= of[at]!.parts.reduce((sum, part) => sum + charactersOf(part), 0)
    if (room < 0) left_out = Math.min(at + 1, of.length - 1) // the last one is shown, cut
  }
  return left_out
}

function charactersOf(part: Part): number {
  switch (part.kind) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return part.text.length
    case 'call':
      return shownAs(part.input).text.length
    case 'result':
      return shownAs(part.output).text.length
    case 'json':
      return shownAs(part.value).text.length
    case 'media':
      return part.words.length + (part.url?.length ?? 0)
  }
}

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

const One = ({ part, most, isRendered }: { part: Part; most: number; isRendered: boolean }) => {
  switch (part.kind) {
    case 'text':
      return isRendered ? (
        <Markdown text={part.text} below={4} />
      ) : (
        <Folded text={part.text} isText most={most} />
      )
    case 'thinking':
      return <Named name="thinking" text={part.text} isText most={most} />
    case 'refusal':
      return <Named name="refusal" text={part.text} isText most={most} />
    case 'call':
      return <Named name={`calls ${part.name}`} {...shownAs(part.input)} most={most} />
    case 'result':
      return (
        <Named
          name={`${part.failed ? 'error' : 'result'}${part.name ? ` of ${part.name}` : ''}`}
          {...shownAs(part.output)}
          most={most}
        />
      )
    case 'media':
      return (
        <p class="media">
          {part.words}
          {part.url && (
            <>
              {': '}
              <a href={part.url} rel="noreferrer noopener nofollow">
                {part.url}
              </a>
            </>
          )}
        </p>
      )
    case 'json':
      return <Folded {...shownAs(part.value)} most={most} />
  }
}

const Named = ({ name, ...text }: { name: string; text: string; isText: boolean; most: number }) => (
  <div class="named">
    <span class="dim">{name}</span>
    <Folded {...text} />
  </div>
)

const shownAs = (value: unknown) =>
  typeof value === 'string'
    ? { text: value, isText: true }
    : { text: JSON.stringify(value, null, 2) ?? 'nothing', isText: false }
