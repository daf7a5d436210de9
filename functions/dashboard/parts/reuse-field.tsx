// The form field for which recorded steps a replay reuses.

import { Field } from './form.tsx'

export const ReuseField = ({ chosen, named = true }: { chosen?: string | undefined; named?: boolean }) => (
  <>
    <Field
      label="Recorded steps"
      hint="A tool is not called again with the same input, unless nothing is reused."
    >
      <select name="reuse">
        <option value="auto">ask again where an answer was at fault, reuse what came before</option>
        <option value="all" selected={chosen === 'all'}>
          reuse all that succeeded
        </option>
        <option value="none" selected={chosen === 'none'}>
          reuse nothing
        </option>
      </select>
    </Field>
    {named && (
      <Field
        label="From this step on"
        hint="Key of a step that runs again with what follows it. Instead of the choice above."
      >
        <input name="from_step" />
      </Field>
    )}
  </>
)
