import { describe, expect, it } from 'vitest'
import { foreignHost } from './own-host.ts'

const own = { host: '127.0.0.1', base_url: 'https://assay.example', hasProxies: false }
const codeOf = (host: string, more: object = {}) =>
  foreignHost(`http://${host}/health`, { ...own, ...more })?.code

describe('a server that listens on loopback', () => {
  it.each(['127.0.0.1:8090', 'localhost', 'a.localhost', '[::1]:8090', 'assay.example'])(
    'answers to %s',
    host => {
      expect(codeOf(host)).toBeUndefined()
    },
  )
  it.each(['evil.example', 'localhost.evil.example', '0.0.0.0', '10.0.0.1'])('refuses %s', host => {
    expect(codeOf(host)).toBe('forbidden')
  })
  it.each(['127.999.1.1', '1.2.3.4.5.6', '[::1', 'a b'])('finds no host in %j', host => {
    expect(codeOf(host)).toBe('invalid_request')
  })
})

it.each([{ host: '0.0.0.0' }, { hasProxies: true }])('a server where %j leaves the host to others', more => {
  expect(codeOf('evil.example', more)).toBeUndefined()
})
