// The closed lists of words of upstreams: what is outside and needed, what may be the matter with it, and how a call failed.

/** `open`: calls may begin, if a pace is known at that pace. In every other state items wait, and one tries. */
export const UPSTREAM_STATES = ['open', 'cooling', 'away', 'out_of_credit', 'refused'] as const
export type UpstreamState = (typeof UPSTREAM_STATES)[number]

/** An agent by its URL, or a key of a model provider. */
export const UPSTREAM_KINDS = ['agent', 'credential'] as const
export type UpstreamKind = (typeof UPSTREAM_KINDS)[number]

/**
 * How a call failed. The first five are the upstream's: they use up no retry of an item. `cut`: sent, perhaps worked on
 * and paid, and not answered. `rejected`: the request's own fault. `provider_error`: none of these.
 */
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
