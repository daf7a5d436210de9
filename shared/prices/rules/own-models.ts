// Says by a model's name whether it runs on a machine of the user's own, or may run there as well as at any host.
// Guarantee: a name that only one maker or host has is never among them.

/** The host of a model on a machine of the user's own, which no list of prices knows. */
export const OWN_HOST = 'own'

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
