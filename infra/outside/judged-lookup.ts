// Resolves names for connections to addresses that callers named. Guarantee: the address dialled was checked after it
// was resolved, so a name that changes in between gains nothing; and an account whose names resolve slowly leaves
// look-ups to others.
//
// The system looks a name up in a thread of the pool, half of which libuv gives to look-ups (see ../node/threads.ts). A
// look-up at a silent name server cannot be cancelled: some 10 s for each name.

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { Pool, type PoolBounds } from '../../shared/kernel/pool.ts'
import { type Allows, literalAddress, refusedAddress } from './networks.ts'

/** Resolves all addresses of a name. */
export type Resolve = (host: string, options: LookupOptions & { all: true }) => Promise<LookupAddress[]>

/** The account whose share of the look-ups is used; null for callers without an account. */
export type Asker = string | null

const ofSystem: Resolve = promisify(lookup)

/** One pool per process, like its threads: a look-up that would wait in libuv's queue gets no slot. */
const ofProcess = new Pool(lookUps(Number(process.env.UV_THREADPOOL_SIZE) || 4), 'name_lookups')

function lookUps(threads: number): PoolBounds {
  const size = Math.min(LIMITS.name_lookups, Math.floor((threads + 1) / 2))
  return { size, share: Math.max(1, Math.min(LIMITS.name_lookups_per_account, size - 1)) }
}

/** Resolves names to their allowed addresses. Node calls it for names only; for addresses see `refuseLiteral`. */
export class JudgedNames {
  readonly #allows: Allows
  readonly #resolve: Resolve
  readonly #turns: Pool
  /** Look-ups in progress, shared by an account's connections that are opened to one name at once. */
  readonly #underWay = new Map<string, Promise<LookupAddress[]>>()

  constructor(allows: Allows, resolve = ofSystem, turns = ofProcess) {
    this.#allows = allows
    this.#resolve = resolve
    this.#turns = turns
  }

  lookupFor(account_id: Asker): LookupFunction {
    return (host, options, done) => {
      this.#addressesOf(host, options, account_id).then(
        addresses => {
          const allowed = addresses.filter(({ address }) => this.#allows(address))
          const [first] = allowed
          if (first === undefined) done(refusedAddress(addresses[0]?.address ?? 'nowhere', host), [])
          else if (options.all) done(null, allowed)
          else done(null, first.address, first.family)
        },
        error => done(error, []),
      )
    }
  }

  #addressesOf(host: string, options: LookupOptions, account_id: Asker): Promise<LookupAddress[]> {
    const key = JSON.stringify([account_id, host, options.family, options.hints])
    let asked = this.#underWay.get(key)
    if (asked === undefined) {
      asked = this.#ask(host, options, account_id).finally(() => this.#underWay.delete(key))
      this.#underWay.set(key, asked)
    }
    return asked
  }

  async #ask(host: string, options: LookupOptions, account_id: Asker): Promise<LookupAddress[]> {
    const end = await this.#turns.take(account_id ?? '', 1, LIMITS.name_lookup_wait_ms)
    if (end === undefined) throw Object.assign(new Error(`too many names wait beside ${host}`), NOT_NOW)
    try {
      return await this.#resolve(host, { ...options, all: true })
    } finally {
      end()
    }
  }
}

/** The system's error for a name server that does not answer. */
const NOT_NOW = { code: 'EAI_AGAIN', syscall: 'getaddrinfo' }

/** @throws Error where the URL contains a literal address that is not allowed */
export function refuseLiteral(url: URL, allows: Allows): void {
  const literal = literalAddress(url)
  if (literal !== undefined && !allows(literal)) throw refusedAddress(literal, literal)
}
