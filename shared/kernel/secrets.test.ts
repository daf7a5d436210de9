import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { derivedKey, fromBase64Url, toBase64Url, toHex } from './secrets.ts'

const MASTER = '0123456789abcdef'.repeat(4)

describe('derived keys', () => {
  it('differ by purpose and by master key, and are the same each time', async () => {
    const session = toHex(await derivedKey(MASTER, 'session'))
    expect(session).toHaveLength(64)
    expect(toHex(await derivedKey(MASTER, 'session'))).toBe(session)
    expect(toHex(await derivedKey(MASTER, 'cursor'))).not.toBe(session)
    expect(toHex(await derivedKey(MASTER.replace('0', '1'), 'session'))).not.toBe(session)
  })

  it('need a master key of 32 bytes in hex', async () => {
    await expect(derivedKey('secret', 'session')).rejects.toThrow('64 hex digits')
  })
})

describe('base64url', () => {
  it('decodes what it encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), bytes => {
        expect(fromBase64Url(toBase64Url(bytes))).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  it.each(['A', 'A=', 'AB+/', 'AB', 'ü'])('refuses "%s", which it would never encode to', text => {
    expect(fromBase64Url(text)).toBeUndefined()
  })
})
