// One figure of a list of facts, under its name.

import type { Child } from 'hono/jsx'

export const Fact = ({ name, children }: { name: string; children: Child }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
