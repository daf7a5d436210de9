// The words by which an answer of a model provider says what was wrong: a table, in order, the first row that fits decides.
// Guarantee: a row of words looks where providers write, not where they repeat a request; all expressions are linear.

import type { Fault } from '../vocabulary.ts'

export interface Row {
  fault: Fault
  /** In lower case, of which one must be a code of the body or of a header; with a star it is the beginning of one. */
  codes?: readonly string[]
  /** In the message. */
  words?: RegExp
  /** The statuses at which the row holds: codes at all others too, words at `MONEY` only. 200: an error that has no status. */
  at?: readonly number[]
}

/** Statuses whose messages tell of the key: nothing in them was written by whoever wrote the request. */
export const MONEY: readonly number[] = [200, 402, 403, 429]

/**
 * A message at 400 may repeat what was sent, so there the words must be its beginning. LiteLLM writes its own name and
 * that of the provider before them.
 */
export const ROWS: readonly Row[] = [
  // OpenAI, Groq: the request alone exceeds the limit of a minute.
  { fault: 'rejected', at: [413, 429], words: /^Request too large\b|\bRequest too large for / },
  // Anthropic: a tier without long prompts.
  { fault: 'rejected', at: [429], words: /\blong context\b/i },

  // OpenAI's billing, each with the type insufficient_quota; Together, Perplexity and DeepSeek have the first two as well.
  {
    fault: 'quota',
    codes: [
      'insufficient_quota',
      'credit_balance_exhausted',
      'billing_hard_limit_reached',
      'billing_not_active',
      'project_spend_limit_exceeded',
      'organization_spend_limit_exceeded',
      'spend_limit_exceeded',
    ],
  },
  // Anthropic: a tier's threshold, and the type of its 402.
  { fault: 'quota', codes: ['enforced_spend_limit_reached', 'billing_error'] },
  // Anthropic's 400, as it is and through LiteLLM.
  {
    fault: 'quota',
    at: [...MONEY, 400],
    words:
      /^(?:litellm\.[\s\S]{0,200}?)?(?:Your credit balance is too low|You have reached your specified API usage limits)/,
  },
  // Groq: a 400 for an organization that did not pay.
  { fault: 'quota', codes: ['blocked_api_access'] },
  // Azure: its subscription, and the free amount of a resource.
  {
    fault: 'quota',
    codes: ['quotaexceeded', 'subscriptiondisabled', 'spendinglimitreached', 'readonlydisabledsubscription'],
  },
  // Bedrock: it has its payments in 403, and quotas of an account in 400.
  { fault: 'quota', codes: ['servicequotaexceededexception'] },
  {
    fault: 'quota',
    at: [403],
    words: /\bINVALID_PAYMENT_INSTRUMENT\b|\bpayment instrument\b|\bbudget action\b/,
  },
  // Google: projects without billing, and AI Studio's prepaid ones, under the status of its rate limits.
  { fault: 'quota', codes: ['billing_disabled'] },
  { fault: 'quota', words: /\bprepayment credits are depleted\b|\bexceeded its monthly spending cap\b/ },
  // Moonshot, DashScope, DeepSeek, Together, Replicate, LiteLLM's own budgets.
  {
    fault: 'quota',
    codes: [
      'exceeded_current_quota_error',
      'arrearage',
      'allocationquota.freetieronly',
      'insufficient_balance',
      'insufficient_credits',
      'insufficient_funds',
      'payment_required',
      'budget_exceeded',
      'credit_limit',
    ],
  },
  // LiteLLM's budget, at 400 too.
  { fault: 'quota', at: [...MONEY, 400], words: /^(?:ExceededBudget|Budget has been exceeded)/ },
  // OpenRouter's key limits, xAI, Fireworks, MiniMax, Cohere's trial keys of a month, and whoever sells credit.
  {
    fault: 'quota',
    words:
      /\bKey limit exceeded\b|\b[Ii]nsufficient (?:balance|credits?|funds)\b|\bout of credits?\b|\bused all available credits\b|\bdoes(?:n't| not) have any credits\b|\bno credits left\b|\b[Ss]pend(?:ing)? limit\b|\b[Bb]illing hard limit\b|\bspend alert threshold\b|\b1000 API calls ?\/ ?month\b|\bmonthly spending limit\b/,
  },

  // Google: a minute's, a day's and "limit: 0" alike, in the words that OpenAI has for billing; so before the next row.
  { fault: 'rate', codes: ['resource_exhausted', 'ratelimitexceeded', 'userratelimitexceeded'] },
  { fault: 'rate', words: /\bQuota exceeded for (?:metric|quota metric|aiplatform)/ },
  // OpenAI's words where a gateway dropped the code.
  { fault: 'quota', words: /\bYou exceeded your current quota, please check your plan and billing\b/ },

  // Inputs, at 401 to 403: OpenAI, Azure, OpenRouter's moderation, DashScope, Bedrock's guardrails, Mistral's and others'.
  {
    fault: 'rejected',
    codes: [
      'content_policy_violation',
      'content_filter',
      'content_filtered',
      'responsibleaipolicyviolation',
      'moderation_blocked',
      'data_inspection_failed',
      'datainspectionfailed',
      'invalid_prompt',
      'prohibited_content',
      'safety',
    ],
  },
  {
    fault: 'rejected',
    at: [200, 401, 402, 403],
    words:
      /\bflagged\b|\bmoderation\b|\bguardrail\b|\bcontent (?:management )?(?:policy|policies|filter)|\b(?:usage|acceptable use) polic|\bsafety (?:system|polic|filter|reasons)|\bbecause of (?:its|the) content\b|\bthe content of its messages\b|\b(?:[Tt]he|[Yy]our) (?:input|prompt)\b|\baccess the file\b/,
  },
  // A model that does not exist or that a project may not use: the name is in the request. OpenAI has it at 403 and 404.
  {
    fault: 'rejected',
    codes: ['model_not_found', 'model_not_available', 'modelnotfound', 'deploymentnotfound'],
  },
  // Too long, or not valid: OpenAI, Azure, Bedrock, Anthropic, Google.
  {
    fault: 'rejected',
    codes: ['context_length_exceeded', 'string_above_max_length', 'request_too_large', 'validationexception'],
  },
  // OpenAI moves a request that grew too fast to 503.
  { fault: 'rate', at: [503], words: /^Slow down\b/i },
  // Anthropic's 529, for everybody: it cools, also inside a stream.
  { fault: 'rate', codes: ['overloaded_error'] },
  // Bedrock: a model that is loaded has no limit that refuses, though its status is 429.
  { fault: 'overloaded', codes: ['modelnotreadyexception'] },
  // OpenAI, Anthropic, Azure, Groq, Mistral, Bedrock, DashScope, Moonshot. Some say so at 400, 403 or 503.
  {
    fault: 'rate',
    codes: [
      'rate_limit_exceeded',
      'rate_limit_error',
      'rate_limit_reached_error',
      'rate_limited',
      'ratelimitreached',
      'too_many_requests',
      'toomanyrequestsexception',
      'throttl*', // throttling_error of LiteLLM, ThrottlingException, Throttling.RateQuota
      'limitexceededexception',
      'slow_down',
    ],
  },
  // Hugging Face, vLLM behind gateways, MiniMax: an error that has words alone.
  { fault: 'rate', at: [200], words: /\brate[ -]limit|\btoo many requests\b/i },

  // OpenAI, Groq's flex tier, Google, Bedrock, Azure, Hugging Face while it loads a model.
  {
    fault: 'overloaded',
    codes: [
      'server_is_overloaded',
      'server_overloaded',
      'engine_overloaded_error',
      'model_overloaded',
      'capacity_exceeded',
      'service_unavailable',
      'service_unavailable_error',
      'serviceunavailable',
      'serviceunavailableexception',
      'unavailable',
      'nocapacity',
    ],
    at: [200, 400, 424, 498, 500, 502, 503],
  },
  {
    fault: 'overloaded',
    at: [200, 498, 500, 502, 503],
    words: /\boverloaded\b|\bat capacity\b|\bis currently loading\b|\bcapacity exceeded\b/i,
  },
  // Worked on for too long: Anthropic, Google, Bedrock, Azure. It may have been paid.
  {
    fault: 'cut',
    codes: [
      'timeout_error',
      'deadline_exceeded',
      'gatewaytimeout',
      'modeltimeoutexception',
      'modelstreamerrorexception',
      'timeout',
      'request_timeout',
    ],
    at: [200, 408, 424, 500, 503, 504],
  },
  { fault: 'provider_error', codes: ['modelerrorexception'] },

  // Google, xAI: a wrong key, or a place where the key may not be used, is a 400 there.
  { fault: 'refused', codes: ['api_key_invalid', 'api_key_expired'] },
  {
    fault: 'refused',
    at: [200, 400],
    words:
      /^(?:API key (?:not valid|expired)|Incorrect API key provided|User location is not supported|This organization has been disabled)/,
  },
  // OpenAI, Anthropic, AWS, Google, at whatever status.
  {
    fault: 'refused',
    codes: [
      'invalid_api_key',
      'authentication_error',
      'invalid_authentication_error',
      'account_deactivated',
      'organization_deactivated',
      'unauthenticated',
      'unrecognizedclientexception',
      'invalidsignatureexception',
      'expiredtokenexception',
      'missingauthenticationtokenexception',
      'unsupported_country_region_territory',
    ],
  },
  // What decides nothing beside a status, and all there is inside a 200.
  {
    fault: 'refused',
    at: [200],
    codes: ['permission_error', 'permission_denied', 'accessdeniedexception', 'unauthorized'],
  },
  {
    fault: 'rejected',
    at: [200],
    codes: ['invalid_request_error', 'invalid_argument', 'not_found_error', 'not_found', 'bad_request'],
  },
]
