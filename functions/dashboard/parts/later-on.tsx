// What a phone folds away until it is wanted; wider screens show it. Works without a script.

import type { Child } from 'hono/jsx'

export const LaterOn = ({ label, children }: { label: string; children: Child }) => (
  <div class="later-on">
    <label class="unfold">
      <input type="checkbox" class="off-screen" /> {label}
    </label>
    {children}
  </div>
)
