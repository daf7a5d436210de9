// The form field for which recorded steps a replay reuses.

import { Choice } from './choice.tsx'
import { Field } from './form.tsx'

const REUSE = {
  auto: 'ask again where an answer was at fault, reuse what came before',
  all: 'reuse all that succeeded',
  none: 'reuse nothing',
}

export const ReuseField = ({ chosen, named = true }: { chosen?: string | undefined; named?: boolean }) => (
  <>
    <Choice
      name="reuse"
      label="Recorded steps"
      hint="A tool is not called again with the same input, unless nothing is reused."
      options={REUSE}
      chosen={chosen}
    />
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
