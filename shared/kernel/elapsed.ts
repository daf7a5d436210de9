// How long ago something was, by a clock that may be set meanwhile. Guarantee: a clock that is set back by more than a
// bound ends what the bound is for, where a plain difference would let it last for as long as the clock was set back.

export const sinceMs = (now_ms: number, then_ms: number): number => Math.abs(now_ms - then_ms)
