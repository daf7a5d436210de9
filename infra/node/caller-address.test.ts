import { expect, it } from 'vitest'
import { createCallerAddress } from './caller-address.ts'

const callerOf = createCallerAddress(['10.0.0.0/8', 'fd00::/8'])

it.each([
  ['no proxy forwarded the request', '203.0.113.7', null, '203.0.113.7'],
  ['a trusted proxy forwarded the request', '10.1.1.1', '203.0.113.7', '203.0.113.7'],
  ['several trusted proxies forwarded it', '10.1.1.1', '203.0.113.7, fd00::5, 10.2.2.2', '203.0.113.7'],
  [
    'the caller sent a header with an address of its choice',
    '10.1.1.1',
    '6.6.6.6, 203.0.113.7',
    '203.0.113.7',
  ],
  ['an untrusted sender claims to have forwarded it', '203.0.113.7', '6.6.6.6', '203.0.113.7'],
  ['an IPv4 address is written as IPv6', '::ffff:10.1.1.1', '203.0.113.7', '203.0.113.7'],
  ['all addresses belong to proxies', '10.1.1.1', '10.2.2.2', '10.1.1.1'],
])('the address of the caller is right when %s', (_, socket, forwarded, address) => {
  expect(callerOf(socket, forwarded)).toBe(address)
})

it('a trusted proxy that is not a network is refused', () => {
  expect(() => createCallerAddress(['10.0.0.0'])).toThrow('"10.0.0.0" is not a network')
})
