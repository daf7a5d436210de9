// What was said to a model and what it answered. Guarantee: all of it is text; images and files are links, and only
// where they begin with http.

import type { Message, Part } from '../../../shared/domain/conversation.ts'
import { LIMITS } from '../../../shared/domain/limits.ts'
import { Folded } from './payload.tsx'
import { counted } from './text.tsx'

export const Messages = ({ of }: { of: readonly Message[] }) => {
  // The last ones are what the call was about.
  const left_out = Math.max(0, of.length - LIMITS.page_messages)
  return (
    <ol class="messages">
      {left_out > 0 && (
        <li class="dim">{counted(left_out, 'earlier message')} not shown here; the raw JSON has them.</li>
      )}
      {of.slice(left_out).map(({ role, parts }) => (
        <li class={`message role-${ROLES.has(role) ? role : 'other'}`}>
          <span class="role">{role}</span>
          <div>
            {parts.length === 0 ? <p class="dim">says nothing</p> : parts.map(part => <One part={part} />)}
          </div>
        </li>
      ))}
    </ol>
  )
}

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

const One = ({ part }: { part: Part }) => {
  switch (part.kind) {
    case 'text':
      return <Folded text={part.text} isText />
    case 'thinking':
      return <Named name="thinking" text={part.text} isText />
    case 'refusal':
      return <Named name="refusal" text={part.text} isText />
    case 'call':
      return <Named name={`calls ${part.name}`} {...shownAs(part.input)} />
    case 'result':
      return (
        <Named
          name={`${part.failed ? 'error' : 'result'}${part.name ? ` of ${part.name}` : ''}`}
          {...shownAs(part.output)}
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
      return <Folded {...shownAs(part.value)} />
  }
}

const Named = ({ name, text, isText }: { name: string; text: string; isText: boolean }) => (
  <div class="named">
    <span class="dim">{name}</span>
    <Folded text={text} isText={isText} />
  </div>
)

const shownAs = (value: unknown) =>
  typeof value === 'string'
    ? { text: value, isText: true }
    : { text: JSON.stringify(value, null, 2) ?? 'nothing', isText: false }
