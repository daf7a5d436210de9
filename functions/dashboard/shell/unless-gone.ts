// Reads what may be gone, or never was. Guarantee: any other failure stays one.

import { ApiFailure } from '../../../shared/sdk/client.ts'

/** Undefined where nothing has that id, or where the text cannot be an id. */
export async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ApiFailure && [400, 404].includes(error.status)) return undefined
    throw error
  }
}
