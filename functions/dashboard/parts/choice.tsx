// A form's select box, and the options of the usual ones.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { Field } from './form.tsx'

interface ChoiceProps {
  name: string
  label: string
  hint?: string
  /** Labels by value. */
  options: Record<string, string>
  chosen: string | undefined
  required?: true
}

export const Choice = ({ name, label, hint, options, chosen = '', required }: ChoiceProps) => (
  <Field label={label} hint={hint}>
    <select name={name} required={required}>
      {Object.entries(options).map(([value, words]) => (
        <option value={value} selected={value === chosen}>
          {words}
        </option>
      ))}
    </select>
  </Field>
)

/** Options whose labels are made from their values. */
export const among = <T extends string>(values: Iterable<T>, wordOf: (value: T) => string = value => value) =>
  Object.fromEntries([...values].map(value => [value, wordOf(value)]))

/** The same for a filter: the empty value means any. */
export const anyAmong = <T extends string>(values: Iterable<T>, wordOf?: (value: T) => string) => ({
  '': 'any',
  ...among(values, wordOf),
})

interface AgentFieldProps {
  agents: readonly Schemas['Agent'][]
  chosen: string | undefined
}

/** Choice of the agent that the new schedule or trigger starts. */
export const AgentField = ({ agents, chosen }: AgentFieldProps) => (
  <Choice
    name="agent_id"
    label="Starts"
    options={Object.fromEntries(agents.map(({ id, slug }) => [id, slug]))}
    chosen={chosen}
    required
  />
)
