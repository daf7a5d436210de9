// Finds the part of a batch that PostgreSQL refuses. Guarantee: all others are written, each once.

/** Whether the SQLSTATE class blames the statement (data, constraints, limits of a row), not the server's state. */
export const isRefusal = (error: unknown) => /^(22|23|54)\w{3}$/.test((error as { code?: string }).code ?? '')

/**
 * Writes all parts at once, and refused parts in halves until a part that cannot be written is alone: `alone` handles
 * it. Returns the sum of what `write` and `alone` return.
 */
export async function bisect<T>(
  parts: readonly T[],
  write: (parts: readonly T[]) => Promise<number>,
  alone: (part: T, error: unknown) => Promise<number>,
): Promise<number> {
  try {
    return await write(parts)
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (parts.length === 1) return alone(parts[0]!, error)
    const middle = parts.length >> 1
    const before = await bisect(parts.slice(0, middle), write, alone)
    return before + (await bisect(parts.slice(middle), write, alone))
  }
}
