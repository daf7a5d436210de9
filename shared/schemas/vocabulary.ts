// The words and shapes of declared schemas: which there are, what a check says, and what is wrong with one.

/** The two schemas that an agent may declare, and the word for what each is about. */
export const SCHEMAS = { input_schema: 'input', output_schema: 'output' } as const
export type SchemaName = keyof typeof SCHEMAS

/** The code of an item whose check was given up. */
export const CHECK_LIMIT = 'schema_check_limit'

/** What is wrong with a schema, where, and what to do about it. */
export interface SchemaFault {
  /** From the declaration on, such as `output_schema.properties.label.pattern`. */
  path: string
  message: string
  hint?: string
}

/** What a check says: nothing if the value matches. */
export type SchemaAnswer =
  | undefined
  /** Where the value does not match and what was expected there, as the SDK says it of its own checks. */
  | { problem: string }
  /** The check was given up. */
  | { over: string }

/** A schema that can be checked. */
export interface ReadSchema {
  check(value: unknown): SchemaAnswer
}

/** Reads a schema of a declaration; a fault says why it cannot be checked. */
export type SchemaEngine = (
  schema: unknown,
  name: SchemaName,
) => Promise<{ read: ReadSchema } | { fault: SchemaFault }>
