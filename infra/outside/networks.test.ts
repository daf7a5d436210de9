import { describe, expect, it } from 'vitest'
import { allowsOutside, callerNetwork, literalAddress } from './networks.ts'

describe('the destination address of a message', () => {
  const allows = allowsOutside([])

  it.each(['8.8.8.8', '93.184.216.34', '2606:4700::6810:84e5', '2a00:1450:4001:81d::200e', '::ffff:8.8.8.8'])(
    'is allowed when it is public: %s',
    address => expect(allows(address)).toBe(true),
  )

  it.each([
    ['this host', '0.0.0.0'],
    ['loopback', '127.0.0.1'],
    ['all of loopback', '127.255.255.254'],
    ['a private network', '10.1.2.3'],
    ['a private network', '172.31.255.255'],
    ['a private network', '192.168.0.1'],
    ['the metadata service', '169.254.169.254'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['an IETF assignment', '192.0.0.170'],
    ['documentation', '203.0.113.7'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4 in the oldest spelling', '::127.0.0.1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped metadata service', '::ffff:a9fe:a9fe'],
    ['NAT64', '64:ff9b::10.0.0.1'],
    ['local NAT64', '64:ff9b:1::10.0.0.1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:a00:1::'],
    ['unique local', 'fd00::1'],
    ['unique local metadata service', 'fd00:ec2::254'],
    ['link local', 'fe80::1'],
    ['site local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['discard only', '100::1'],
    ['no address', 'localhost'],
    ['nothing', ''],
  ])('is refused (%s): %s', (_, address) => expect(allows(address)).toBe(false))

  it('is allowed in a network that the operator named, and in no other private network', () => {
    const allows = allowsOutside(['10.1.0.0/16', 'fd00::/8'])
    expect(allows('10.1.9.9')).toBe(true)
    expect(allows('::ffff:10.1.9.9')).toBe(true)
    expect(allows('fd12::1')).toBe(true)
    expect(allows('10.2.0.1')).toBe(false)
    expect(allows('127.0.0.1')).toBe(false)
  })

  it('cannot be checked against an entry that is not a network', () => {
    expect(() => allowsOutside(['10.0.0.1'])).toThrow('"10.0.0.1" is not a network')
  })
})

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
  ['', ''],
])('a caller at %s is counted as %s', (address, network) => {
  expect(callerNetwork(address)).toBe(network)
})

it.each([
  ['http://127.0.0.1/', '127.0.0.1'],
  ['http://0x7f.1/', '127.0.0.1'],
  ['http://2130706433/', '127.0.0.1'],
  ['http://127.0.0.1./', '127.0.0.1'],
  ['http://[::1]:80/', '::1'],
  ['http://localhost/', undefined],
])('the address in the URL %s is %s', (url, address) => {
  expect(literalAddress(new URL(url))).toBe(address)
})
