// Removes empty values from parameters and bodies of requests.

/** The fields without undefined values and empty strings. */
export function defined<T extends Record<string, unknown>>(fields: T) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(given) as { [Name in keyof T]?: Exclude<T[Name], undefined | ''> }
}
