// A form for an agent's input, made from the schema it declares. Guarantee: it produces JSON; for a schema that it
// cannot show as fields, the user enters JSON.

import type { Child } from 'hono/jsx'
import type { Entered } from '../shell/page.ts'
import { Field } from './form.tsx'

interface Property {
  name: string
  type: 'string' | 'number' | 'integer' | 'boolean'
  options: readonly string[] | undefined
  isRequired: boolean
  description: string | undefined
}

const PREFIX = 'field:'
const TYPES = ['string', 'number', 'integer', 'boolean']

/** The properties of an object of plain values; undefined for every other schema. */
export function propertiesOf(schema: unknown): Property[] | undefined {
  if (!isRecord(schema) || schema.type !== 'object' || !isRecord(schema.properties)) return undefined
  const required = Array.isArray(schema.required) ? schema.required : []
  const drawn = Object.entries(schema.properties).map(([name, property]) => {
    if (!isRecord(property) || !TYPES.includes(property.type as string)) return undefined
    const options = Array.isArray(property.enum) ? property.enum.map(String) : undefined
    return {
      name,
      type: property.type as Property['type'],
      options,
      isRequired: required.includes(name),
      description: typeof property.description === 'string' ? property.description : undefined,
    }
  })
  return drawn.length > 0 && drawn.every(one => one !== undefined) ? drawn : undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const InputFields = ({
  properties,
  entered,
}: {
  properties: readonly Property[]
  entered: Entered
}): Child =>
  properties.map(({ name, type, options, isRequired, description }) =>
    type === 'boolean' ? (
      <label class="inline">
        <input type="checkbox" name={PREFIX + name} checked={entered[PREFIX + name] === 'on'} /> {name}{' '}
        {description && <span class="dim">{description}</span>}
      </label>
    ) : (
      <Field label={isRequired ? name : `${name} (may be left out)`} hint={description}>
        {options ? (
          <select name={PREFIX + name}>
            {!isRequired && <option value="" />}
            {options.map(option => (
              <option value={option} selected={option === entered[PREFIX + name]}>
                {option}
              </option>
            ))}
          </select>
        ) : type === 'string' ? (
          <textarea name={PREFIX + name} dir="auto" class="short" required={isRequired}>
            {entered[PREFIX + name] ?? ''}
          </textarea>
        ) : (
          <input
            name={PREFIX + name}
            type="number"
            value={entered[PREFIX + name]}
            step={type === 'integer' ? 1 : 'any'}
            required={isRequired}
          />
        )}
      </Field>
    ),
  )

/** Returns the JSON text of the object entered in the fields. */
export function inputOf(properties: readonly Property[], form: Record<string, unknown>): string {
  const members = properties.flatMap(({ name, type, isRequired }) => {
    const given = String(form[PREFIX + name] ?? '')
    if (given === '' && type !== 'boolean' && !(isRequired && type === 'string')) return []
    const value =
      type === 'boolean' ? String(given === 'on') : type === 'string' ? JSON.stringify(given) : given
    return [`${JSON.stringify(name)}:${value}`]
  })
  return `{${members.join(',')}}`
}
