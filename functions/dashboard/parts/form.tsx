// Parts of forms: a field with its label and what it means, a button that does one thing, and one that asks before it
// does what cannot be taken back. All work without a script.

import { type Child, cloneElement, createContext, isValidElement, type JSXNode, useContext } from 'hono/jsx'
import type { Schemas } from '../../../shared/sdk/client.ts'

/** What was wrong with the fields of a form that is shown again, by their names. */
export const Misfits = createContext<Readonly<Record<string, string>>>({})

export const Field = ({
  label,
  hint,
  children,
}: {
  label: string
  hint?: string | undefined
  children: Child
}) => {
  const misfits = useContext(Misfits)
  const wrong = misfits[nameOf(children) ?? '']
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label>
      <span class="label">{label}</span>
      {wrong === undefined ? children : marked(children, Object.keys(misfits)[0])}
      {wrong !== undefined && (
        <span class="wrong" id={`wrong-${nameOf(children)}`}>
          {wrong}
        </span>
      )}
      {hint && <span class="dim hint">{hint}</span>}
    </label>
  )
}

const isControl = (child: Child): child is JSXNode =>
  isValidElement(child) && typeof (child as JSXNode).props.name === 'string'

const childrenOf = (children: Child): Child[] => (Array.isArray(children) ? children : [children])

/** Of the control among what a field holds. */
const nameOf = (children: Child): string | undefined => childrenOf(children).find(isControl)?.props.name

/** The control says what is wrong with it, and the first such one is where the page begins. */
const marked = (children: Child, first: string | undefined): Child =>
  childrenOf(children).map(child =>
    isControl(child)
      ? cloneElement(child, {
          'aria-invalid': 'true',
          'aria-describedby': `wrong-${child.props.name}`,
          autofocus: child.props.name === first,
        })
      : child,
  )

/** Said once where a member's role shows a page and changes nothing on it. */
export const RoleRequired = ({ least }: { least: 'operator' | 'owner' }) => (
  <p class="dim">{least === 'owner' ? 'Owner' : 'Operator'} role required to change anything here.</p>
)

/** Which agent something new starts. */
export const AgentField = ({
  agents,
  chosen,
}: {
  agents: readonly Schemas['Agent'][]
  chosen: string | undefined
}) => (
  <Field label="Starts">
    <select name="agent_id" required>
      {agents.map(agent => (
        <option value={agent.id} selected={agent.id === chosen}>
          {agent.slug}
        </option>
      ))}
    </select>
  </Field>
)

/** A button that does one thing, with nothing to fill in. */
export const Press = ({ label, action }: { label: string; action: string }) => (
  <form method="post" action={action}>
    <button>{label}</button>
  </form>
)

interface SureProps {
  /** What it does, as a verb. */
  label: string
  /** What follows from it. */
  consequence: string
  action: string
  children?: Child
}

/** Opens to say what will happen; only the button inside does it. */
export const Sure = ({ label, consequence, action, children }: SureProps) => (
  <details class="sure">
    <summary class="button">{label}</summary>
    <form method="post" action={action} class="card">
      <p>{consequence}</p>
      {children}
      <button class="danger">{label}</button>
    </form>
  </details>
)
