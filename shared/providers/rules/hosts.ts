// Says who served a model, where an answer or its client shows it. Guarantee: only signs that nobody else leaves decide,
// so that a model that anybody may serve is not priced as somebody's.

import { OWN_HOST } from '../../prices/rules/own-models.ts'
import { type Fields, fields, filled, list } from './answer.ts'

/** Hosts by the names that clients have for them, as the list of prices names them. */
const CLIENTS_NAMES: Record<string, string> = {
  ollama: OWN_HOST,
  lmstudio: OWN_HOST,
  'lm-studio': OWN_HOST,
  vllm: OWN_HOST,
  llamacpp: OWN_HOST,
  'llama-cpp': OWN_HOST,
  sglang: OWN_HOST,
  tgi: OWN_HOST,
  'amazon-bedrock': 'aws',
  amazon_bedrock: 'aws',
  bedrock: 'aws',
  bedrock_converse: 'aws',
  azure: 'azure',
  'azure-openai': 'azure',
  baseten: 'baseten',
  cerebras: 'cerebras',
  deepseek: 'deepseek',
  fireworks: 'fireworks',
  groq: 'groq',
  novita: 'novita',
  openrouter: 'openrouter',
  ovhcloud: 'ovhcloud',
  perplexity: 'perplexity',
  together: 'together',
  togetherai: 'together',
  xai: 'x-ai',
}

/** @example hostOfClient('togetherai.chat') // 'together' */
export function hostOfClient(name: unknown): string | undefined {
  if (!filled(name)) return undefined
  const low = name.toLowerCase()
  const known = [low, low.split('.', 1)[0]!].find(one => Object.hasOwn(CLIENTS_NAMES, one))
  // Packages for Ollama name themselves in several ways: `ollama.responses`, `ollama-ai-provider`.
  return known === undefined ? (low.startsWith('ollama') ? OWN_HOST : undefined) : CLIENTS_NAMES[known]
}

/** The host of an answer in OpenAI's format, by the fields that only it adds. */
export function hostOfChat(body: Fields): string | undefined {
  if (fields(body.x_groq) !== undefined || fields(body.usage)?.queue_time !== undefined) return 'groq'
  if (filled(body.provider) && filled(body.id) && body.id.startsWith('gen-')) return 'openrouter'
  if (Array.isArray(body.prompt)) return 'together'
  return isOwn(body) ? OWN_HOST : undefined
}

/** What servers that people run themselves say of themselves, beside OpenAI's fields. */
const OWN_FIELDS = ['prompt_logprobs', 'kv_transfer_params', 'timings', 'model_info', 'stats']
const OWN_CHOICES = ['matched_stop', 'stop_reason', 'token_ids']
/** Ollama, llama.cpp, KoboldCpp, Text Generation Inference and vLLM write themselves, or their build. */
const OWN_FINGERPRINT = /^(?:fp_ollama|b\d+-[0-9a-f]+|koboldcpp|vllm|\d+\.\d+\.\d+\S*-(?:sha-|native))/

function isOwn(body: Fields): boolean {
  if (OWN_FIELDS.some(name => name in body)) return true
  const { system_fingerprint: print } = body
  if (filled(print) && (OWN_FINGERPRINT.test(print) || print === body.model)) return true
  const choice = fields(list(body.choices)[0])
  return choice !== undefined && OWN_CHOICES.some(name => name in choice)
}
