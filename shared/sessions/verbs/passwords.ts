// Hashes passwords with scrypt, keeping its parameters next to the hash so that they can be raised later. The runtime's
// own scrypt runs outside the event loop, a few at once and the rest in turns by caller. So guesses delay nobody else's
// request and take a bounded amount of memory.

import { type ScryptOptions, scrypt } from 'node:crypto'
import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { fromBase64Url, toBase64Url } from '../../kernel/secrets.ts'

type Hashing = Pick<Context, 'hashes' | 'random'>

const COST = { N: 2 ** 15, r: 8, p: 1 } // 32 MiB and just over 50 ms for each guess
const HASH_BYTES = 32
const SALT_BYTES = 16

/** `scrypt$N$r$p$salt$hash`. @throws ApiError `rate_limited` */
export async function hashPassword(ctx: Hashing, password: string): Promise<string> {
  const salt = new Uint8Array(SALT_BYTES)
  ctx.random(salt)
  const hash = await inTurn(ctx, 'members', () => derive(password, salt, HASH_BYTES, COST))
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${toBase64Url(salt)}$${toBase64Url(hash)}`
}

/**
 * Takes as long for a member that does not exist (`encoded` undefined) as for a wrong password.
 *
 * @param from the guessing caller, by whom turns are shared out
 * @throws ApiError `rate_limited`
 */
export async function passwordMatches(
  ctx: Hashing,
  from: string,
  password: string,
  encoded: string | undefined,
): Promise<boolean> {
  const [, N, r, p, salt, hash] = (encoded ?? NOBODY).split('$')
  const expected = fromBase64Url(hash!)!
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const work = () => derive(password, fromBase64Url(salt!)!, expected.length, cost)
  const actual = await inTurn(ctx, from, work)
  const difference = actual.reduce((bits, byte, at) => bits | (byte ^ expected[at]!), 0)
  return difference === 0 && encoded !== undefined
}

async function inTurn<T>({ hashes }: Hashing, from: string, work: () => Promise<T>): Promise<T> {
  const giveBack = await hashes.take(from, 1, LIMITS.password_hash_wait_ms)
  if (giveBack === undefined)
    throw new ApiError('rate_limited', 'Too many passwords are being checked.', 'Try again in a moment.', 1)
  try {
    return await work()
  } finally {
    giveBack()
  }
}

/** Node refuses to use more memory than `maxmem`; scrypt needs slightly more than 128 N r bytes. */
function derive(password: string, salt: Uint8Array, bytes: number, cost: typeof COST): Promise<Uint8Array> {
  const options: ScryptOptions = { ...cost, maxmem: 2 * 128 * cost.N * cost.r }
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFC'), salt, bytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )
}

const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`
