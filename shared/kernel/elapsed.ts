// The time between two readings of a clock that may be set in between. Guarantee: if the clock is set back by more than
// a limit, the limit counts as passed; a plain difference would extend it for as long as the clock was set back.

export const sinceMs = (now_ms: number, then_ms: number): number => Math.abs(now_ms - then_ms)
