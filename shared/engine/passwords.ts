// Hashes of passwords: scrypt, with its parameters beside the hash so that they can be raised later.

import { scryptAsync } from '@noble/hashes/scrypt.js'
import { fromBase64Url, toBase64Url } from '../domain/secrets.ts'

const COST = { N: 2 ** 15, r: 8, p: 1 } // 32 MiB and a good 100 ms for each guess
const HASH_BYTES = 32
const SALT_BYTES = 16

/** `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(random: (bytes: Uint8Array) => void, password: string): Promise<string> {
  const salt = new Uint8Array(SALT_BYTES)
  random(salt)
  const hash = await scryptAsync(password.normalize('NFC'), salt, { ...COST, dkLen: HASH_BYTES })
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${toBase64Url(salt)}$${toBase64Url(hash)}`
}

/** Takes as long for a member that does not exist (`encoded` undefined) as for a wrong password. */
export async function passwordMatches(password: string, encoded: string | undefined): Promise<boolean> {
  const [, N, r, p, salt, hash] = (encoded ?? NOBODY).split('$')
  const expected = fromBase64Url(hash!)!
  const cost = { N: Number(N), r: Number(r), p: Number(p), dkLen: expected.length }
  const actual = await scryptAsync(password.normalize('NFC'), fromBase64Url(salt!)!, cost)
  const difference = actual.reduce((bits, byte, at) => bits | (byte ^ expected[at]!), 0)
  return difference === 0 && encoded !== undefined
}

const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`
