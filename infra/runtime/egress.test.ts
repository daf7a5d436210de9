import { describe, expect, it } from 'vitest'
import { egressRules } from './egress.ts'

describe('egress rules', () => {
  it('allow nothing without a declaration', () => {
    for (const network of [undefined, []]) {
      expect(egressRules(network)).toMatchObject({ any: false, public: [], private: [], private_blocks: [] })
    }
  })

  it('allow ports 80 and 443 for a host without a port, and write hosts as in a URL', () => {
    expect(egressRules(['API.Example.com', 'bücher.example:8443', '[2606:4700::1111]:853']).public).toEqual([
      'api.example.com:80',
      'api.example.com:443',
      'xn--bcher-kva.example:8443',
      '[2606:4700::1111]:853',
    ])
  })

  it('allow nothing for an entry that is not a host', () => {
    const entries = [
      'https://api.example.com',
      'a b',
      'user@host',
      'host/path',
      '*.example.com',
      'host:99999x',
      '',
    ]
    expect(egressRules(entries)).toMatchObject({ any: false, public: [], private: [], refused: [] })
  })

  it('refuse a private address that the operator has not allowed, however it is written', () => {
    const written = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '10.1.2.3',
      '192.168.0.9',
      '169.254.169.254',
      '0.0.0.0',
    ]
    const v6 = ['[::1]', '[fd00::1]', '[fe80::1]', '[::ffff:127.0.0.1]', 'localhost']
    // Addresses that embed another one, and reserved ones: as for messages to the outside.
    v6.push(
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[::7f00:1]',
      '[fec0::1]',
      '198.18.0.1',
      '192.0.0.170',
      '224.0.0.1',
    )
    for (const host of [...written, ...v6]) {
      const rules = egressRules([`${host}:5432`], ['172.16.0.0/12'])
      expect([host, rules.public, rules.private, rules.refused.length]).toEqual([host, [], [], 1])
    }
  })

  it('open only the declared addresses of an allowed private network', () => {
    expect(egressRules(['10.1.2.3:8000', '10.1.2.4'], ['10.1.0.0/16', 'fd00::/8'])).toMatchObject({
      private: ['10.1.2.3:8000', '10.1.2.4:80', '10.1.2.4:443'],
      private_blocks: ['10.1.2.3/32', '10.1.2.4/32'],
    })
    expect(egressRules(['localhost:1'], ['127.0.0.1']).private_blocks).toEqual(['127.0.0.1/32'])
  })

  it('reject an operator’s network that cannot be read, and name it', () => {
    expect(() => egressRules([], ['ten/8'])).toThrow('"ten/8" is not a network')
  })
})
