// Placeholders for parts that the page does not have: what takes too long, which later.ts fetches at once, and what is too
// much, which it fetches when somebody opens it. Guarantee: without a script the part is one link away.

import type { Child } from 'hono/jsx'

interface LaterProps {
  /** The id of this placeholder, and of the part in the page at `href`. */
  id: string
  /** The page that includes the part. */
  href: string
  label: string
  children?: Child
}

export const Later = ({ id, href, label, children }: LaterProps) => (
  <section id={id} data-later aria-live="polite">
    <p>
      <a class="button" href={href}>
        {label}
      </a>{' '}
      <span class="dim">{children}</span>
    </p>
  </section>
)

/** Stands within `<details>`. */
export const OnOpen = ({ id, href, label }: Omit<LaterProps, 'children'>) => (
  <section id={id} data-on-open aria-live="polite">
    <p>
      <a href={href}>{label}</a>
    </p>
  </section>
)
