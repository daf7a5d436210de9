// What takes longer to find than a page may take: the page is there at once, and this of it comes when it is known.
// Guarantee: without a script it is one link away.

import type { Child } from 'hono/jsx'

interface LaterProps {
  /** Of the part, there too. */
  id: string
  /** The page with that part in it. */
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
