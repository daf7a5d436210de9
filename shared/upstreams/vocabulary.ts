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
