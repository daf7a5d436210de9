// The closed word lists of triggers, shared by columns, JSON bodies, the SDK and the command line.

/** How an inbound fire proves who sent it: the trigger's secret as a bearer, or a sender's own signature. */
export const SIGNATURE_SCHEMES = [
  'bearer',
  'standard_webhooks',
  'github',
  'stripe',
  'slack',
  'shopify',
] as const
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number]

/** The pattern of a trigger's name, and of the sender's variable that holds its secret. */
export const TRIGGER_NAME = /^[a-zA-Z0-9_-]{1,64}$/
export const SECRET_ENV = /^[A-Z][A-Z0-9_]*$/
