// Checks and compares the sources that an agent's code declares. Guarantee: declared code holds no secret, only the
// names of variables that do.

import { canonicalJson } from '../../json/canonical.ts'
import type { AgentDeclaration, DeclaredSource, DeclaredTrigger } from '../../protocol/rules/protocol.ts'
import { type BodySource, noGenerator } from './source.ts'

/** Where the items of a start come from, as a caller gives it or code declares it. */
export type ItemsOrder = DeclaredSource | BodySource

const VARIABLE = /\$([A-Za-z_][A-Za-z0-9_]*)/g

/** A header's value for one deployment: `known` gives the value of each `$NAME` in it. */
export const filledIn = (value: string, known: (variable: string) => string): string =>
  value.replace(VARIABLE, (_, variable: string) => known(variable))

/** Names of headers that carry secrets. */
const SECRET_HEADER = /auth|cookie|key|secret|token/i

/** What is wrong with a source that code declares, in addition to the checks of any source; undefined if nothing is. */
export function declaredSourceProblem(
  source: DeclaredSource,
  generators: readonly string[],
): string | undefined {
  if ('generator' in source)
    return generators.includes(source.generator) ? undefined : noGenerator(source.generator, generators)
  const bare = Object.entries(source.headers ?? {}).find(
    ([name, value]) => SECRET_HEADER.test(name) && value.search(VARIABLE) < 0,
  )
  return (
    bare &&
    `Header ${bare[0]} must name a variable of the deployment's environment, as in "Bearer $EXPORT_TOKEN": what stands in code is no secret.`
  )
}

/** The variables that the headers of declared sources name. */
export function variablesOf({
  schedules = [],
  triggers = [],
}: Pick<AgentDeclaration, 'schedules' | 'triggers'>): string[] {
  return [...schedules, ...triggers].flatMap(({ source }) =>
    source && 'url' in source
      ? Object.values(source.headers ?? {}).flatMap(value =>
          [...value.matchAll(VARIABLE)].map(([, name]) => name!),
        )
      : [],
  )
}

/** Where the items of a declared trigger come from; null if each fire is one item, its body. */
export function itemsDeclared({ items, item_id, partition_key, source }: DeclaredTrigger): ItemsOrder | null {
  if (items) return { body: true, item_id: item_id ?? null, partition_key: partition_key ?? null }
  return source ?? null
}

export const sameItems = (one: ItemsOrder | null, other: ItemsOrder | null): boolean =>
  textOf(one) === textOf(other)

/** In words for people; null if there is no source. */
export function itemsInWords(order: ItemsOrder | null): string | null {
  if (order === null) return null
  if ('body' in order) return 'its body'
  return 'url' in order ? order.url : `the generator ${order.generator}`
}

function textOf(order: ItemsOrder | null): string {
  if (order === null) return 'null'
  const said = Object.entries(order).filter(([, value]) => value !== null && value !== undefined)
  return canonicalJson(Object.fromEntries(said))
}
