// What is set, as text, for whoever may not change it: the labels are those of the fields that others are shown.

import type { Child } from 'hono/jsx'

/** Only what there is: a label whose value is empty is left out. */
export const Facts = ({ of }: { of: Readonly<Record<string, Child>> }) => (
  <dl class="facts wide">
    {Object.entries(of)
      .filter(([, value]) => ![null, undefined, false, ''].includes(value as null))
      .map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
