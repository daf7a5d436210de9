// Hashes of passwords: scrypt, with its parameters beside the hash so that they can be raised later. The runtime's own
// scrypt runs outside the event loop, so that a guess delays nobody else's request.

import { type ScryptOptions, scrypt } from 'node:crypto'
import { fromBase64Url, toBase64Url } from '../domain/secrets.ts'

const COST = { N: 2 ** 15, r: 8, p: 1 } // 32 MiB and a good 50 ms for each guess
const HASH_BYTES = 32
const SALT_BYTES = 16

/** `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(random: (bytes: Uint8Array) => void, password: string): Promise<string> {
  const salt = new Uint8Array(SALT_BYTES)
  random(salt)
  const hash = await derive(password, salt, HASH_BYTES, COST)
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${toBase64Url(salt)}$${toBase64Url(hash)}`
}

/** Takes as long for a member that does not exist (`encoded` undefined) as for a wrong password. */
export async function passwordMatches(password: string, encoded: string | undefined): Promise<boolean> {
  const [, N, r, p, salt, hash] = (encoded ?? NOBODY).split('$')
  const expected = fromBase64Url(hash!)!
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password, fromBase64Url(salt!)!, expected.length, cost)
  const difference = actual.reduce((bits, byte, at) => bits | (byte ^ expected[at]!), 0)
  return difference === 0 && encoded !== undefined
}

/** Node refuses what needs more memory than `maxmem`; scrypt needs 128 N r bytes and a little besides. */
function derive(password: string, salt: Uint8Array, bytes: number, cost: typeof COST): Promise<Uint8Array> {
  const options: ScryptOptions = { ...cost, maxmem: 2 * 128 * cost.N * cost.r }
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFC'), salt, bytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )
}

const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`
