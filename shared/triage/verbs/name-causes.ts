// Names the cause of items that did not work. Guarantee: similar items get the same cause from any number of consumers,
// since a consumer creates a cause under a lock of its project, after reading those that others have created. A project
// has a bounded number of causes; beyond it, an agent's new failures share one.

import type { Context, Sql } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import * as store from '../queries/causes.ts'
import {
  type CauseKind,
  type CausesByKind,
  CausesOfKind,
  causesToMake,
  type KnownCause,
  kindKey,
  type NamedCause,
  newlyVarying,
  type Symptoms,
  searchesFor,
  symptomsOf,
} from '../rules/causes.ts'

interface Owner {
  project_id: string
  agent_id: string
}

interface Remembered {
  causes: CausesOfKind
  learned_ms: number
}

/** Caches the causes that one consumer has met; queries or creates the cause of a message that is like none of them. */
export class CauseNamer {
  readonly #ctx: Context
  /** By agent and kind, the most recently used last. */
  readonly #remembered = new Map<string, Remembered>()
  #size = 0

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Returns the causes in the order of `symptoms`. Cached causes need no round trip, except to note varying words. */
  async name(owner: Owner, symptoms: readonly Symptoms[]): Promise<NamedCause[]> {
    let found = symptoms.map(one => this.#recall(owner, one))
    const unlike = symptoms.filter((_, i) => found[i] === undefined)
    if (unlike.length > 0) {
      const learned = await this.#learn(owner, unlike)
      found = symptoms.map((one, i) => found[i] ?? nameIn(learned, one))
    }
    await this.#noteVarying(owner, symptoms, found as Found[])
    return (found as Found[]).map(({ kind, cause }) => ({
      ...kind,
      id: cause.id,
      template: textOf(cause.words),
    }))
  }

  #recall({ agent_id }: Owner, symptoms: Symptoms): Found | undefined {
    const searches = searchesFor(symptoms)
    for (const [i, one] of searches.entries()) {
      const key = agent_id + kindKey(one)
      const remembered = this.#remembered.get(key)
      const cause = remembered?.causes.find(one.words)
      if (remembered === undefined || cause === undefined) continue
      // There may be room by now for a cause of its own, instead of the catch-all.
      if (i > 0 && sinceMs(this.#ctx.now(), remembered.learned_ms) > LIMITS.causes_other_ms) continue
      this.#remembered.delete(key)
      this.#remembered.set(key, remembered)
      return { kind: kindOf(one), cause }
    }
    return undefined
  }

  /** Returns all causes of these kinds, and creates those that are missing. */
  async #learn(owner: Owner, symptoms: readonly Symptoms[]): Promise<CausesByKind> {
    const learned = (await this.#ctx.sql.begin(async tx => {
      const sql = tx as unknown as Sql
      await store.lockCauses(sql, owner.project_id)
      const kinds = symptoms.flatMap(searchesFor)
      const rows = await store.findCausesOfKinds(sql, owner, kinds)
      const made = causesToMake(byKind(rows), symptoms, await store.roomForCauses(sql, owner.project_id))
      const texts = made.map(one => ({ ...kindOf(one), template: textOf(one.words) }))
      const ids = made.length > 0 ? await store.insertCauses(sql, owner, texts) : []
      return byKind([...rows, ...texts.map((text, i) => ({ ...text, id: ids[i]!, varies: [] }))])
    })) as CausesByKind
    for (const [key, causes] of learned) this.#remember(owner.agent_id + key, causes)
    return learned
  }

  #remember(key: string, causes: CausesOfKind): void {
    this.#size += causes.size - (this.#remembered.get(key)?.causes.size ?? 0)
    this.#remembered.delete(key)
    this.#remembered.set(key, { causes, learned_ms: this.#ctx.now() })
    for (const [oldest, { causes }] of this.#remembered) {
      if (this.#size <= LIMITS.causes_remembered) break
      this.#remembered.delete(oldest)
      this.#size -= causes.size
    }
  }

  async #noteVarying(owner: Owner, symptoms: readonly Symptoms[], found: readonly Found[]): Promise<void> {
    const noted: { id: string; places: number[] }[] = []
    for (const [i, { cause }] of found.entries()) {
      const places = newlyVarying(cause, symptoms[i]!.words)
      if (places.length === 0) continue
      for (const place of places) cause.varies.add(place)
      noted.push({ id: cause.id, places })
    }
    if (noted.length > 0) await store.noteVarying(this.#ctx.sql, owner.project_id, noted)
  }
}

interface Found {
  kind: CauseKind
  cause: KnownCause
}

const textOf = (words: readonly string[]) => words.join(' ')
const kindOf = ({ step, error_code, reason }: CauseKind): CauseKind => ({ step, error_code, reason })

function byKind(rows: readonly store.KnownCauseRow[]): CausesByKind {
  const known: CausesByKind = new Map()
  for (const row of rows) {
    const key = kindKey(row)
    if (!known.has(key)) known.set(key, new CausesOfKind())
    known.get(key)!.add({ id: row.id, words: wordsOf(row.template), varies: new Set(row.varies) })
  }
  return known
}

const wordsOf = (template: string) => (template === '' ? [] : template.split(' '))

function nameIn(known: CausesByKind, symptoms: Symptoms): Found {
  for (const one of searchesFor(symptoms)) {
    const cause = known.get(kindKey(one))?.find(one.words)
    if (cause !== undefined) return { kind: kindOf(one), cause }
  }
  throw new Error('a cause that was to be made is not there')
}

/** Names the causes of items that ended without being dispatched, or before causes existed; returns how many items. */
export async function nameUnnamed(ctx: Context): Promise<number> {
  const namer = new CauseNamer(ctx)
  let items = 0
  for (let chunk = 0; chunk < LIMITS.recovery_chunks_per_sweep; chunk++) {
    const rows = await store.findWithoutCause(
      ctx.sql,
      LIMITS.cluster_reading_items,
      LIMITS.cluster_reading_bytes,
    )
    for (const of of Map.groupBy(rows, row => row.run_id).values()) {
      const symptoms = of.map(row => symptomsOf(row, [], row.input))
      const named = await namer.name(of[0]!, symptoms)
      const written = of.map(({ seq, cost_micro }, i) => ({ seq, cost_micro, cause_id: named[i]!.id }))
      items += await store.writeCauses(ctx.sql, of[0]!, written)
    }
    if (rows.length === 0) break
  }
  return items
}
