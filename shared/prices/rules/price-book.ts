// Finds what a model costs a project: by the project's own prices, each from a date on, else by the list. Guarantee: at
// any moment a model has one price, the latest that has started, however its name is written; recorded calls keep their
// recorded cost.

import { LIMITS } from '../../kernel/limits.ts'
import { isClosed } from './own-models.ts'
import { type Found, type ListedProvider, priceAt } from './price-data.ts'
import { setPricesDay } from './price-day.ts'
import { pricesText } from './price-list.gen.ts'
import { PriceList, SNAPSHOT } from './price-list.ts'
import type { Price } from './pricing.ts'

/** A price that a project or a test sets, for tokens only. */
export interface OwnPrice {
  input_per_mtok: number
  output_per_mtok: number
  cached_input_per_mtok?: number
}

export interface DatedPrice extends OwnPrice {
  model: string
  effective_ms: number
  /** Set by an owner. */
  by_owner?: boolean
}

export type OwnPrices = Readonly<Record<string, OwnPrice>>

/** The price of the examples' model server, which nobody else has. */
const DEMO: Price = { input_per_mtok: 0.15, output_per_mtok: 0.6 }
const DEMO_MODEL = 'assay-demo-small'

let list: PriceList | undefined

/** Parsed when it is first used: most functions never use it. */
export function priceList(): PriceList {
  list ??= new PriceList(JSON.parse(pricesText()))
  return list
}

/** Replaces the list; books drop what they found in the old one. @throws when a regular expression in it is invalid */
export function usePrices(providers: readonly ListedProvider[], day: string, source: string): void {
  list = new PriceList(providers)
  setPricesDay(day, source)
}

/** A model's name as names are compared, by the list and for own prices: providers take capitals for small letters. */
export const foldedName = (model: string): string => model.toLowerCase()

/** Finds what models cost by a project's own prices, then by the list, and remembers what it found. */
export class PriceBook {
  readonly #own: OwnPrices | undefined
  readonly #found = new Map<string, Price | Found | null>()
  #foundIn: PriceList | undefined

  constructor(own?: OwnPrices) {
    this.#own = own && byFoldedName(own)
  }

  /**
   * The price at a moment. `host` is the provider that the answer names, if any, and `address` the host that was called, if
   * that is known.
   */
  priceOf(model: string, ms: number, host?: string, address?: string): Price | undefined {
    const key =
      host === undefined && address === undefined ? model : `${model}\n${host ?? ''}\n${address ?? ''}`
    if (this.#foundIn !== list) {
      this.#found.clear()
      this.#foundIn = list
    }
    let found = this.#found.get(key)
    if (found === undefined) {
      found = this.#find(model, host ?? (address && priceList().hostAt(address, model))) ?? null
      // Agents name models; an agent that names a new model with each call must not fill the memory.
      if (this.#found.size >= LIMITS.prices_found) this.#found.clear()
      this.#found.set(key, found)
    }
    if (found === null) return undefined
    return 'prices' in found ? priceAt(found, ms) : found
  }

  #find(model: string, host: string | undefined): Price | Found | undefined {
    const own = this.#own && ownPriceOf(model, this.#own)
    return own ?? (model === DEMO_MODEL ? DEMO : priceList().find(model, host))
  }
}

/** Prices of the list alone; what this book has found serves every project without prices of its own. */
export const LIST_PRICES = new PriceBook()

/** Prefixes of the names of these providers' own models; a host that sets its own prices is not among them. */
const PROVIDERS =
  /^(?:(?:openai|anthropic|google|gemini|models|mistral|mistralai|deepseek|groq)\/|anthropic\.)+/

/** Prices by their models' names as these are compared; of two spellings the later one counts. */
export const byFoldedName = <P extends OwnPrice>(own: Readonly<Record<string, P>>): Record<string, P> =>
  Object.fromEntries(Object.entries(own).map(([model, price]) => [foldedName(model), price]))

/** Of prices by folded names: the exact name wins over the name without prefix and snapshot. */
export function ownPriceOf<P extends OwnPrice>(
  model: string,
  own: Readonly<Record<string, P>>,
): P | undefined {
  const name = ownNamesOf(model).find(name => Object.hasOwn(own, name))
  return name === undefined ? undefined : own[name]
}

/** The names under which a project's own price counts for a model, the first of them first. */
function ownNamesOf(model: string): string[] {
  const name = foldedName(model)
  const bare = name.replace(PROVIDERS, '')
  return [name, bare, bare.replace(SNAPSHOT, ''), name.replace(SNAPSHOT, '')]
}

/** Two names with the same one may stand for the same model, whoever is said to make or host it. */
const coreOf = (model: string): string =>
  withoutMaker(foldedName(model)).replace(PROVIDERS, '').replace(SNAPSHOT, '')

/** A name behind what stands for a maker, a host or a folder of either. */
const withoutMaker = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** The price of an owner, if there is one, that a price of this name would stand in the way of. */
export const ownersPriceOf = <P extends { model: string; by_owner?: boolean }>(
  model: string,
  prices: readonly P[],
): P | undefined => prices.find(price => price.by_owner && coreOf(price.model) === coreOf(model))

let listed: Set<string> | undefined

/** What clients put before the name of a model, as PROVIDERS has them. */
const BEFORE =
  'openai/ anthropic/ google/ gemini/ models/ mistral/ mistralai/ deepseek/ groq/ anthropic.'.split(' ')

/** Whether a list knows a model whose calls an own price of this name would count for. */
export function isListed(model: string): boolean {
  const name = foldedName(model)
  if (name === DEMO_MODEL || namesOfListed().has(name)) return true
  const isKnown = (full: string) => priceList().find(full) !== undefined || priceList().has(full)
  if (['', ...BEFORE].some(before => isKnown(`${before}${model}`) || isKnown(`${before}${name}`))) return true
  // Whatever maker is made up for a model that only its own one runs; others' weights anybody may host and price.
  const bare = withoutMaker(name)
  const maker = priceList().find(bare)?.provider
  return maker !== undefined && isClosed(bare, maker)
}

function namesOfListed(): Set<string> {
  listed ??= new Set([...priceList().names()].flatMap(ownNamesOf))
  return listed
}

const NEAREST = 3

/** The names that somebody may have meant, as a sentence; empty when no name is similar. */
export function sayNearest(model: string): string {
  const names = priceList().nearest(model, NEAREST)
  return names.length === 0 ? '' : `The list has ${names.join(', ')}. `
}

/**
 * A project's prices that count at a moment, the latest last: once an owner's has started, those of keys count no more under
 * any name of its model.
 */
export function countedAt(prices: readonly DatedPrice[], ms: number): DatedPrice[] {
  const started = prices
    .filter(price => price.effective_ms <= ms)
    .sort((a, b) => a.effective_ms - b.effective_ms)
  const owners = new Set(started.filter(price => price.by_owner).map(price => coreOf(price.model)))
  return owners.size === 0
    ? started
    : started.filter(price => price.by_owner || !owners.has(coreOf(price.model)))
}

/** A book of a project's prices that hold at a moment, which come before the list's. */
export function pricesAt(prices: readonly DatedPrice[] | null, ms: number): PriceBook {
  if (prices === null || prices.length === 0) return LIST_PRICES
  const counts = countedAt(prices, ms)
  return new PriceBook(
    Object.fromEntries(counts.map(({ model, effective_ms: _, by_owner: __, ...price }) => [model, price])),
  )
}

/** Whether the model has a price at a moment. */
export const isPriced = (model: string, prices: readonly DatedPrice[] | null, ms: number): boolean =>
  pricesAt(prices, ms).priceOf(model, ms) !== undefined
