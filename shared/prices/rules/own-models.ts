// Says by a model's name whether it runs on a machine of the user's own, or may run there as well as at any host.
// Guarantee: a name that only one maker or host has is never among them.

/** The host of a model on a machine of the user's own, which no list of prices knows. */
export const OWN_HOST = 'own'

/**
 * Whether a host, with or without its port, is on the user's own machine or network: an address of loopback, of a private
 * range or of a link, a name that no public zone has, or one without a dot, such as those of containers.
 */
export function isOwnAddress(host: string): boolean {
  const bare = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
  if (bare.startsWith('[')) return OWN_V6.test(bare.slice(1))
  if (/^\d+\.\d+\.\d+\.\d+$/.test(bare)) return OWN_V4.test(bare)
  return !bare.includes('.') || OWN_ZONE.test(bare)
}

/** Of RFC 1918, loopback, links, and RFC 6598, which overlays such as Tailscale use. */
const OWN_V4 =
  /^(?:0|10|127)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^169\.254\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./
const OWN_V6 = /^(?:::1?\]|f[cd]|fe[89ab]|::ffff:(?:7f|a[0-9a-f]{2}:|c0a8|ac1[0-9a-f]|127\.|10\.|192\.168\.))/
/** Reserved for private use, or used for it everywhere. */
const OWN_ZONE =
  /\.(?:local|localhost|internal|intranet|private|corp|home|lan|localdomain|home\.arpa|ts\.net|test|svc)$/

/** Makers of whose models nobody else has the weights. */
const CLOSED_MAKERS = new Set(['openai', 'anthropic', 'google', 'x-ai', 'perplexity'])
const OPEN_OF_THEM = /gpt-oss|gemma|grok-[12]\b|r1-1776|whisper/i

/** Whether a model runs nowhere but at its maker, so that a host of one's own only passes its calls on. */
export const isClosed = (model: string, maker: string): boolean =>
  CLOSED_MAKERS.has(maker) && !OPEN_OF_THEM.test(model)

/** OpenRouter's models that cost nothing. */
export const FREE_NAME = /^[^/]+\/[^/]+:free$/
export const FREE = { match: { ends_with: ':free' }, prices: { input_mtok: 0, output_mtok: 0 } } as const

/** A name of Ollama or llama.cpp: a size or `latest` as its tag, a file, a path, a place of Hugging Face. */
const OWN_NAME =
  /^(?:[\w.-]+\/)?[\w.-]+:(?:latest|cloud|e?\d+(?:x\d+)?(?:\.\d+)?[bm])(?:[-_.]\w[\w.-]*)?$|\.(?:gguf|safetensors|bin)$|^(?:\.{0,2}\/|[a-z]:\\|hf\.co\/|huggingface\.co\/)/i

export const isOwnName = (model: string): boolean => OWN_NAME.test(model)

/** As Hugging Face names weights: their owner, and a name with capitals. */
const WEIGHTS = /^[\w.-]+\/(?=[^/]*[A-Z])[\w.-]+$/
/** Owners and families that write theirs without capitals. */
const LOW_WEIGHTS =
  /^(?:openai\/gpt-oss|google\/(?:gemma|medgemma|t5|flan)|microsoft\/phi|ibm-granite\/|tiiuae\/|allenai\/|bigcode\/|stabilityai\/|deepseek-ai\/|mosaicml\/|databricks\/)/
/** Endings that only Together gives to what it hosts. */
const OF_TOGETHER = /-(?:Turbo|Lite|Reference|tput)(?:-Free)?$/

/** Whether the name is that of weights, which anybody may run. */
export const isOfWeights = (model: string): boolean =>
  (WEIGHTS.test(model) && !OF_TOGETHER.test(model)) || LOW_WEIGHTS.test(model)
