// The closed word lists of upstreams, shared by columns, JSON bodies, agents' lines and the command line.

/** What an upstream lets through. `open` is the first. */
export const UPSTREAM_STATES = ['open', 'cooling', 'away', 'out_of_credit', 'refused'] as const
export type UpstreamState = (typeof UPSTREAM_STATES)[number]

/** An agent's address, or a credential at a provider. */
export const UPSTREAM_KINDS = ['agent', 'credential'] as const
export type UpstreamKind = (typeof UPSTREAM_KINDS)[number]

/** What went wrong with a call. */
export const FAULTS = [
  'rate',
  'overloaded',
  'away',
  'quota',
  'refused',
  'cut',
  'rejected',
  'provider_error',
] as const
export type Fault = (typeof FAULTS)[number]

/** What limits count. */
export const LIMITED = ['requests', 'tokens', 'input_tokens', 'output_tokens'] as const

/** What an answer says about one limit of its upstream. */
export interface ReportedLimit {
  of: (typeof LIMITED)[number]
  /** How much there is in a window, or in a full bucket; null if not told. */
  amount: number | null
  left: number
  /** Milliseconds until it is full again; null if not told, or if it names no moment to come. */
  reset_ms: number | null
  /** The window's length if it is told; null if not. */
  window_ms: number | null
}
