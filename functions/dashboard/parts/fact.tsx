// One figure of a list of facts, under its name.

import type { Child } from 'hono/jsx'

interface FactProps {
  name: string
  children: Child
  /** What it usually is. */
  usual?: string | null
}

export const Fact = ({ name, children, usual }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {children}
      {usual && <div class="dim">usually {usual}</div>}
    </dd>
  </div>
)
