// Finds the one among many that PostgreSQL refuses. Guarantee: all others are written, each once.

/** SQLSTATE classes of what a statement says, not of how things stand: data, constraints, limits of a row. */
export const isRefusal = (error: unknown) => /^(22|23|54)\w{3}$/.test((error as { code?: string }).code ?? '')

/** Writes parts at once; what is refused in halves, until whatever cannot be written is alone. Adds up what they give. */
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
