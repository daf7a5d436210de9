// Checks a list of prices that was fetched from elsewhere. Guarantee: it is accepted whole or not at all, and contains
// no negative price and no kind of match rule that is unknown here.

import { type ListedProvider, type Match, slim } from './price-data.ts'

/** A list with fewer providers or models is only a part of one. */
const LEAST_PROVIDERS = 10
const LEAST_MODELS = 200

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isPrice = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0

const TEXT_MATCHES = ['equals', 'starts_with', 'ends_with', 'contains', 'regex']

function isMatch(value: unknown): value is Match {
  if (!isFields(value)) return false
  const [[kind, wanted] = [], ...more] = Object.entries(value)
  if (more.length > 0) return false
  if (kind === 'or' || kind === 'and')
    return Array.isArray(wanted) && wanted.length > 0 && wanted.every(isMatch)
  return TEXT_MATCHES.includes(kind ?? '') && isText(wanted)
}

const isTiered = (value: unknown) =>
  isPrice(value) ||
  (isFields(value) &&
    isPrice(value.base) &&
    Array.isArray(value.tiers) &&
    value.tiers.every(tier => isFields(tier) && isPrice(tier.start) && isPrice(tier.price)))

const isTime = (value: unknown) => isText(value) && !Number.isNaN(Date.parse(`1970-01-01T${value}`))

function isConditional(value: unknown): boolean {
  if (!isFields(value) || !isPrices(value.prices)) return false
  const { constraint } = value
  if (constraint === undefined || constraint === null) return true
  if (!isFields(constraint)) return false
  if ('start_date' in constraint) return !Number.isNaN(Date.parse(String(constraint.start_date)))
  return isTime(constraint.start_time) && isTime(constraint.end_time)
}

const isPrices = (value: unknown) => isFields(value) && Object.values(value).every(isTiered)

const isModel = (value: unknown) =>
  isFields(value) &&
  isText(value.id) &&
  isMatch(value.match) &&
  (Array.isArray(value.prices)
    ? value.prices.length > 0 && value.prices.every(isConditional)
    : isPrices(value.prices))

const isAbsentOr = (value: unknown, is: (value: unknown) => boolean) =>
  value === undefined || value === null || is(value)

const isProvider = (value: unknown) =>
  isFields(value) &&
  isText(value.id) &&
  isAbsentOr(value.api_pattern, isText) &&
  isAbsentOr(value.model_match, isMatch) &&
  isAbsentOr(value.provider_match, isMatch) &&
  isAbsentOr(value.fallback_model_providers, list => Array.isArray(list) && list.every(isText)) &&
  Array.isArray(value.models) &&
  value.models.every(isModel)

/** @throws Error that says what is wrong with it */
export function readFetchedPrices(text: string): ListedProvider[] {
  const data: unknown = JSON.parse(text)
  if (!Array.isArray(data)) throw new Error('it is no list of providers')
  const wrong = data.find(one => !isProvider(one))
  if (wrong !== undefined)
    throw new Error(
      `the provider ${isFields(wrong) ? String(wrong.id) : 'that is no object'} is not as expected`,
    )
  const providers = (data as ListedProvider[]).map(slim)
  const models = providers.reduce((sum, { models }) => sum + models.length, 0)
  if (providers.length < LEAST_PROVIDERS || models < LEAST_MODELS)
    throw new Error(`it has ${models} models of ${providers.length} providers, too few to be whole`)
  return providers
}
