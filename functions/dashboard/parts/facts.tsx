// Shows settings as text to members who may not change them, under the labels of the form's fields.

import type { Child } from 'hono/jsx'
import { Fact } from './fact.tsx'

/** Leaves out labels whose value is empty. */
export const Facts = ({ of }: { of: Readonly<Record<string, Child>> }) => (
  <dl class="facts wide">
    {Object.entries(of)
      .filter(([, value]) => ![null, undefined, false, ''].includes(value as null))
      .map(([label, value]) => (
        <Fact name={label}>{value}</Fact>
      ))}
  </dl>
)
