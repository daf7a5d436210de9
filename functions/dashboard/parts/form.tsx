// Parts of forms: a field with its label and what it means, a button that does one thing, and one that asks before it
// does what cannot be taken back. All work without a script.

import type { Child } from 'hono/jsx'
import type { Schemas } from '../../../shared/sdk/client.ts'

export const Field = ({
  label,
  hint,
  children,
}: {
  label: string
  hint?: string | undefined
  children: Child
}) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
  <label>
    <span class="label">{label}</span>
    {children}
    {hint && <span class="dim hint">{hint}</span>}
  </label>
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
