// The closed word lists of limits, shared by agents' lines, JSON bodies and the command line.

/** What limits count. */
export const LIMITED = ['requests', 'tokens', 'input_tokens', 'output_tokens'] as const

/** Where a limit was set by people. */
export const SET_IN = ['project', 'schedule', 'declaration'] as const

/** What an answer says about one limit of its upstream. */
export interface ReportedLimit {
  of: (typeof LIMITED)[number]
  /** How much there is in a window, or in a full bucket; null if not reported. */
  amount: number | null
  left: number
  /** Milliseconds until it is full again; null if not reported, or if it names no moment to come. */
  reset_ms: number | null
  /** The window's length; null if not reported. */
  window_ms: number | null
}
