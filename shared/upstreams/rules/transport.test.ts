import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { wasSent } from './transport.ts'

const coded = (code: string, more: object = {}) =>
  Object.assign(new Error(`failed: ${code}`), { code, ...more })
const around = (cause: unknown) => new TypeError('fetch failed', { cause })
const thrownBy = (act: () => Promise<unknown>) =>
  act().then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a request that threw was not sent', () => {
  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_SSL_WRONG_VERSION_NUMBER',
  ])('if its code is %s, also as the cause of another', code => {
    expect(wasSent(coded(code))).toBe(false)
    expect(wasSent(around(coded(code)))).toBe(false)
    expect(wasSent(new Error('Connection error.', { cause: around(coded(code)) }))).toBe(false)
  })

  it('if it timed out while it connected', () => {
    expect(wasSent(around(coded('ETIMEDOUT', { syscall: 'connect' })))).toBe(false)
    expect(wasSent(around(coded('ETIMEDOUT', { syscall: 'read' })))).toBe(true)
  })

  it('if each address of a host refused it', () => {
    const refused = coded('ECONNREFUSED')
    expect(wasSent(around(new AggregateError([refused, coded('ENETUNREACH')])))).toBe(false)
    expect(wasSent(around(new AggregateError([refused, coded('ECONNRESET')])))).toBe(true)
    expect(wasSent(new AggregateError([]))).toBe(true)
  })

  it('if the egress worker says so', () => {
    expect(
      wasSent(new Error('no connection to api.example.com:443: it is unreachable, or not a public address')),
    ).toBe(false)
    expect(wasSent(new Error('the connection to api.example.com:443 ended before an answer'))).toBe(true)
  })

  it('but not if the declaration forbade it, since that is no fault of an upstream’s', () => {
    expect(wasSent(new Error('egress denied: a:443 is not in the declared network []'))).toBe(true)
  })

  it('as real clients say it', async () => {
    const server = net.createServer(socket =>
      socket.on('error', () => {}).once('data', () => socket.resetAndDestroy()),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/`
    const ask = (to: string) => new Promise((resolve, reject) => http.get(to, resolve).once('error', reject))
    expect(wasSent(await thrownBy(() => fetch(url, { method: 'POST', body: 'x' })))).toBe(true)
    expect(wasSent(await thrownBy(() => ask(url)))).toBe(true)
    server.close()
    await once(server, 'close')
    for (const gone of [url, 'http://no-such-host.invalid/']) {
      expect(wasSent(await thrownBy(() => fetch(gone, { method: 'POST', body: 'x' })))).toBe(false)
      expect(wasSent(await thrownBy(() => ask(gone)))).toBe(false)
    }
    const plain = http.createServer((_, response) => response.end())
    await once(plain.listen(0, '127.0.0.1'), 'listening')
    const { port: plainPort } = plain.address() as AddressInfo
    expect(wasSent(await thrownBy(() => fetch(`https://127.0.0.1:${plainPort}/`)))).toBe(false)
    plain.close()
  })
})

describe('a request that threw may have been sent', () => {
  it.each([
    'ECONNRESET',
    'EPIPE',
    'UND_ERR_SOCKET',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
    'ABORT_ERR',
  ])('if its code is %s', code => {
    expect(wasSent(around(coded(code)))).toBe(true)
  })

  it('if what was thrown says nothing, or throws when it is read', () => {
    const hostile = new Proxy(new Error('x'), {
      get() {
        throw new Error('no')
      },
    })
    const circle: { cause?: unknown; errors?: unknown } = {}
    circle.cause = circle
    const wide: { errors: unknown[] } = { errors: [] }
    for (let at = 0; at < 30; at++) wide.errors.push(wide)
    const list = new Proxy([coded('ECONNREFUSED')], {
      get() {
        throw new Error('no')
      },
    })
    for (const thrown of [
      hostile,
      circle,
      wide,
      { errors: list },
      null,
      undefined,
      0,
      'text',
      Symbol('x'),
      new Error('Network connection lost.'),
    ])
      expect(wasSent(thrown)).toBe(true)
  })
})
