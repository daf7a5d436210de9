// Shows what a step recorded as the data that its author knows. Guarantee: the marks by which the SDKs keep a class's
// getters are left out, and data with the names of marks have their own names.

import { GETTERS, isJson, isMark, type Json, set, unescaped } from '../sdk/revived.ts'

const MARKED = /"\$+(?:getters|at|lost)"\s*:/

/** A recorded value without marks. */
export function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks)
  if (!isJson(value)) return value
  const shown: Json = {}
  for (const name of Object.keys(value))
    if (name !== GETTERS || !isJson(value[name]))
      set(shown, isMark(name) ? unescaped(name) : name, withoutMarks(value[name]))
  return shown
}

/** The same of its JSON text, which stays as it is where it has no marks. */
export const textWithoutMarks = (text: string): string =>
  MARKED.test(text) ? JSON.stringify(withoutMarks(JSON.parse(text))) : text
