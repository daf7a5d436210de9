// Finds models in the list of providers' prices, made from `@pydantic/genai-prices` (`npm run prices:update`).
// Guarantee: a model is found by the rules of that data alone; a model that no rule names has no price.

import { FREE, FREE_NAME, isClosed, isOfWeights, isOwnAddress, isOwnName, OWN_HOST } from './own-models.ts'
import { type Found, foundOf, type ListedProvider, type Match } from './price-data.ts'

type Matches = (name: string, low: string) => boolean

/** Made once for each match: a name that is not listed is tested against some hundred of them. */
function compiled(match: Match): Matches {
  if ('or' in match || 'and' in match) {
    const parts = ('or' in match ? match.or : match.and).map(compiled)
    return 'or' in match
      ? (name, low) => parts.some(part => part(name, low))
      : (name, low) => parts.every(part => part(name, low))
  }
  if ('regex' in match) {
    const regex = new RegExp(match.regex)
    return name => regex.test(name)
  }
  const [kind, text] = Object.entries(match)[0]! as [string, string]
  const wanted = text.toLowerCase()
  if (kind === 'equals') return (_, low) => low === wanted
  if (kind === 'starts_with') return (_, low) => low.startsWith(wanted)
  return kind === 'ends_with' ? (_, low) => low.endsWith(wanted) : (_, low) => low.includes(wanted)
}

/** The names of a match that consists of names only. */
function namesOf(match: Match): string[] | undefined {
  if ('equals' in match) return [match.equals]
  if (!('or' in match)) return undefined
  const names = match.or.map(one => ('equals' in one ? one.equals : undefined))
  return names.every(name => name !== undefined) ? names : undefined
}

/** One provider's models; if several match, the first is meant, as the data defines it. */
class Provider {
  readonly listed: ListedProvider
  /** Whether a name is one of this provider's own models; false for every name if the data has no rule for them. */
  readonly makes: Matches
  /** Whether a prefix of a name means this provider. */
  readonly isCalled: Matches
  /** Whether a URL is one of its API; false for every URL if the data does not say. */
  readonly isAt: (url: string) => boolean
  readonly #byName = new Map<string, number>()
  readonly #byRule: { at: number; takes: Matches }[] = []

  constructor(listed: ListedProvider) {
    this.listed = listed
    this.makes = listed.model_match === undefined ? () => false : compiled(listed.model_match)
    this.isCalled = listed.provider_match === undefined ? () => false : compiled(listed.provider_match)
    const pattern = listed.api_pattern === undefined ? undefined : new RegExp(`^(?:${listed.api_pattern})`)
    this.isAt = url => pattern?.test(url) ?? false
    listed.models.forEach(({ match }, at) => {
      const names = namesOf(match)
      if (names === undefined) this.#byRule.push({ at, takes: compiled(match) })
      for (const name of names ?? []) {
        const low = name.toLowerCase()
        if (!this.#byName.has(low)) this.#byName.set(low, at)
      }
    })
  }

  find(name: string): Found | undefined {
    const { id, models } = this.listed
    const low = name.toLowerCase()
    const named = this.#byName.get(low) ?? models.length
    const ruled = this.#byRule.find(({ at, takes }) => at < named && takes(name, low))
    const model = models[ruled?.at ?? named]
    return model && foundOf(id, model)
  }

  names(): string[] {
    return [...this.#byName.keys()]
  }
}

/** Hosts of others' models with names used nowhere else; tried before the maker whose name stands in front. */
const HOSTS_BY_FULL_NAME = ['groq', 'together', 'fireworks']
/** Tried last, in this order. */
const FURTHER_HOSTS = ['openai', 'perplexity', 'cerebras', 'openrouter', 'baseten', 'novita']
/** Prefixes that clients put before a name and that the data does not have. */
const PREFIXES: Record<string, string> = { models: 'google', fireworks_ai: 'fireworks', azure_ai: 'azure' }
/** A model of Bedrock: perhaps a region, then a vendor, such as `us.anthropic.claude…`; `gpt-4.1` is none. */
const BEDROCK = /^(?:[a-z-]+\.)?[a-z0-9]+\.[a-z]/
/** The path under which a cloud files models: only the part after it is a name. */
const FILED = /^(?:arn:aws:bedrock:.*\/|(?:projects\/.*\/)?publishers\/[^/]+\/models\/)/

/**
 * The end of a name that pins a snapshot of the same model: a date (`-2024-08-06`, `-20250929`, `@20250929`), a
 * month (`-0613`, `-2411`), a revision (`-001`, `-v2:0`) or `-latest`. One or two digits are part of the model's
 * name: `claude-sonnet-4-5` is no snapshot of `claude-sonnet-4`.
 */
export const SNAPSHOT = /(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest))?(?:-v\d+(?::\d+)?)?$/

export class PriceList {
  readonly #providers: Map<string, Provider>

  constructor(providers: readonly ListedProvider[]) {
    this.#providers = new Map(providers.map(listed => [listed.id, new Provider(listed)]))
  }

  /**
   * If the answer names the provider that gave it (`host`), that provider's price comes before all others. What runs on
   * a machine of the user's own, or may run there or anywhere as its name is that of its weights, has no price.
   */
  find(model: string, host?: string): Found | undefined {
    if (FREE_NAME.test(model)) return foundOf('openrouter', { id: model, ...FREE })
    if (host === OWN_HOST || isOwnName(model) || (host === undefined && isOfWeights(model))) return undefined
    return this.#find(model, host) ?? this.#find(model.replace(SNAPSHOT, ''), host)
  }

  /**
   * Who serves a model at an address, as `find` takes it: a provider of the list, `OWN_HOST`, or undefined for any other,
   * where the model's name decides. A model that only its maker runs is passed on by whoever is called for it.
   */
  hostAt(address: string, model: string): string | undefined {
    if (!isOwnAddress(address)) {
      const url = `https://${address}/`
      return [...this.#providers].find(([, provider]) => provider.isAt(url))?.[0]
    }
    const maker = this.find(model)?.provider
    return maker !== undefined && isClosed(model, maker) ? undefined : OWN_HOST
  }

  #find(model: string, host: string | undefined): Found | undefined {
    const name = model.replace(FILED, '')
    for (const [provider, called] of this.#places(name, host)) {
      const found = provider && (provider.find(called) ?? this.#findElsewhere(provider, called))
      if (found !== undefined) return found
    }
    return undefined
  }

  #findElsewhere({ listed }: Provider, name: string): Found | undefined {
    for (const id of listed.fallback_model_providers ?? []) {
      const found = this.#providers.get(id)?.find(name)
      if (found !== undefined) return { ...found, provider: listed.id }
    }
    return undefined
  }

  /** The providers to try for a model, and the name to try at each. */
  *#places(name: string, host: string | undefined): Generator<[Provider | undefined, string]> {
    const slash = name.indexOf('/')
    const rest = name.slice(slash + 1)
    if (host !== undefined) yield [this.#providers.get(host), name]
    for (const id of HOSTS_BY_FULL_NAME) yield [this.#providers.get(id), name]
    if (slash > 0) yield [this.#called(name.slice(0, slash).toLowerCase()), rest]
    if (BEDROCK.test(name)) yield [this.#providers.get('aws'), name]
    const low = name.toLowerCase()
    for (const provider of this.#providers.values()) {
      // A name that another host put a slash into is that host's model, whatever the rest of the name contains.
      const isOwn = slash < 0 || 'starts_with' in (provider.listed.model_match ?? {})
      if (isOwn && provider.makes(name, low)) yield [provider, name]
    }
    for (const id of FURTHER_HOSTS) yield [this.#providers.get(id), name]
  }

  /** The provider that a prefix of a name means. */
  #called(prefix: string): Provider | undefined {
    const exact = this.#providers.get(PREFIXES[prefix] ?? prefix)
    if (exact !== undefined) return exact
    return [...this.#providers.values()].find(provider => provider.isCalled(prefix, prefix))
  }

  /** Whether a provider has a model of this name, or a snapshot of it. */
  has(name: string): boolean {
    return [...this.#providers.values()].some(provider =>
      SNAPSHOTS.some(end => provider.find(`${name}${end}`) !== undefined),
    )
  }

  /** Every name that the list has, of whatever host. */
  names(): Set<string> {
    return new Set([...this.#providers.values()].flatMap(provider => provider.names()))
  }

  /** The names in the list that are most like `model`, which is not in it, the likest first. */
  nearest(model: string, most: number): string[] {
    const wanted = wordsOf(model)
    return [...this.names()]
      .map(name => ({ name, like: likeness(wanted, wordsOf(name)) }))
      .filter(({ like }) => like >= LEAST_LIKENESS)
      .sort((a, b) => b.like - a.like || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
      .slice(0, most)
      .map(({ name }) => name)
  }
}

/** One of each form that SNAPSHOT takes off; rules of the list look at the beginnings of names. */
const SNAPSHOTS = ['', '-20250514', '-2025-05-14', '-latest', '-0613', '-v1:0', '-20250514-v1:0']

const LEAST_LIKENESS = 0.5

const wordsOf = (name: string) =>
  new Set(
    name
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter(Boolean),
  )

/** The share of words that two names have in common (Dice). */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter(word => b.has(word))
  // A version alone says nothing: `whisper-1` is not like `llama3.1`.
  return common.some(word => /[a-z]{2}/.test(word)) ? (2 * common.length) / (a.size + b.size) : 0
}
