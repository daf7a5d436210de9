// Parameters as the typed client wants them.

/** Without what is undefined or an empty field of a form. */
export function defined<T extends Record<string, unknown>>(fields: T) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(given) as { [Name in keyof T]?: Exclude<T[Name], undefined | ''> }
}
