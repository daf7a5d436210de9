// A placeholder for a part that takes too long for the page: the page loads at once, and later.ts fetches this part.
// Guarantee: without a script the part is one link away.

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
