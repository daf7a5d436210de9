// Decides from an agent's declared JSON schema whether it takes null as input. Guarantee: null counts as taken unless
// the schema surely refuses it.

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @example takesNull({ type: 'object' }) // false */
export function takesNull(schema: unknown): boolean {
  if (!isRecord(schema)) return schema !== false
  const { type, enum: options, allOf, anyOf, oneOf } = schema
  const types = Array.isArray(type) ? type : [type]
  if (type !== undefined && !types.includes('null')) return false
  if (Array.isArray(options) && !options.includes(null)) return false
  if ('const' in schema && schema.const !== null) return false
  if (Array.isArray(allOf) && !allOf.every(takesNull)) return false
  return [anyOf, oneOf].every(some => !Array.isArray(some) || some.some(takesNull))
}
