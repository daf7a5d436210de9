// Placeholder until the table of words is merged.

import type { SeenAnswer } from './classify.ts'

export function retryAfterMs(
  { header }: Pick<SeenAnswer, 'header' | 'body'>,
  _now_ms: number,
): number | null {
  const seconds = Number(header('retry-after') ?? Number.NaN)
  return seconds >= 0 ? seconds * 1000 : null
}
