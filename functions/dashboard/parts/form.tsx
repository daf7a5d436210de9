// Parts of forms: a field with its label and what it means, and a button that asks before it does what cannot be taken
// back. Both work without a script.

import type { Child } from 'hono/jsx'

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
