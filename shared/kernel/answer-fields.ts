// Fields of responses that the shapes of every module share. Fields that callers send are in fields.ts.

import * as z from './documented-zod.ts'

export const Json = z.unknown().openapi('Json', { description: 'Any JSON value, kept byte for byte.' })
const isGiven = (value: unknown) => value !== undefined
export const payload = (description: string) => Json.refine(isGiven).describe(description)
export const timestamp = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC.' })
export const count = (description: string) => z.int().min(0).describe(description)
export const id = (description: string) => z.string().meta({ format: 'uuid', description })
