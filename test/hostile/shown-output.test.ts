// What an agent or a caller wrote reaches a terminal, a spreadsheet or a browser as text, and nothing more.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foreignHost } from '../../infra/node/own-host.ts'
import { createOutput } from '../../shared/cli/output.ts'
import { withoutFormulas } from '../../shared/results/rules/results.ts'
import { type Stack, startStack } from '../support/stack.ts'

const HOSTILE = '\u001b]52;c;cm0gLXJm\u0007\u001b]0;owned\u0007\u001b[2J\u009b2J\u202e\r'

describe('long output', () => {
  async function passed(isTTY: boolean, pieces: Uint8Array[]) {
    const written: Buffer[] = []
    const out = { isTTY, write: (text: string | Uint8Array) => written.push(Buffer.from(text as string)) }
    const output = createOutput({ out, err: out, json: false, color: false, program: 'assay' })
    await output.pass(
      (async function* () {
        yield* pieces
      })(),
    )
    return Buffer.concat(written)
  }
  const bytes = Buffer.from(`id,output\na,"${HOSTILE}é\tx"\n`)
  /** Cut within every character and sequence. */
  const cut = [...bytes].map(byte => Uint8Array.of(byte))

  it.each([
    ['whole', [bytes]],
    ['in single bytes', cut],
  ] as const)('%s tells a terminal nothing but text', async (_, pieces) => {
    const shown = (await passed(true, [...pieces])).toString()
    expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    expect(shown).toContain('é\tx"\n')
    expect(shown.split('\n')).toHaveLength(3)
  })

  it('gives a pipe or a file the bytes', async () => {
    expect(await passed(false, cut)).toEqual(bytes)
  })
})

describe('a cell of CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['\n=1+1', "'\n'=1+1"],
    [' =1+1', "' =1+1"],
    ['\u00a0=1+1', "'\u00a0=1+1"],
    ['\ufeff=1+1', "'\ufeff=1+1"],
    ['\t=1+1', "'\t'=1+1"],
    ['a;=1+1', "a;'=1+1"],
    ['a; =1+1', "a;' =1+1"],
    ['a;b;@SUM(A1)', "a;b;'@SUM(A1)"],
    ['a;;-2+3', "a;;'-2+3"],
    ['a\n=1+1', "a\n'=1+1"],
    ['a\r\n+1+1', "a\r\n'+1+1"],
    ['a\t=1+1', "a\t'=1+1"],
    ['＝1+1', "'＝1+1"],
    ['{"a":"x;=1+1"}', `{"a":"x;'=1+1"}`],
  ])('%j is no formula wherever a spreadsheet cuts it', (cell, safe) => {
    const found = withoutFormulas(cell)
    expect(found).toBe(safe)
    for (const part of found.split(/[;\t\r\n]/))
      expect(part).not.toMatch(/^[\s\ufeff]*[=+@＝]|^[\s\ufeff]*-\d\+/)
  })

  it.each(['-5', '1;-5', '+1.5e3', 'a=b', 'a;b', 'x - y', 'mail@host', '{"a":"b=c"}', ''])(
    '%j stays as it is',
    cell => {
      expect(withoutFormulas(cell)).toBe(cell)
    },
  )
})

describe('a server that listens on loopback', () => {
  const own = { host: '127.0.0.1', base_url: 'https://assay.example', hasProxies: false }
  it.each([
    'http://127.0.0.1:8090/x',
    'http://localhost/x',
    'http://a.localhost/',
    'http://[::1]:1/',
    'https://assay.example/',
  ])('answers to %s', url => {
    expect(foreignHost(url, own)).toBeUndefined()
  })
  it.each([
    'http://evil.example:8090/',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://192.168.0.1/',
  ])('refuses %s', url => {
    expect(foreignHost(url, own)).toMatchObject({ code: 'forbidden' })
    expect(foreignHost(url, { ...own, host: '::1' })).toMatchObject({ code: 'forbidden' })
  })
  it('leaves to proxies, and to other networks, by which name they ask', () => {
    expect(foreignHost('http://other/', { ...own, hasProxies: true })).toBeUndefined()
    expect(foreignHost('http://other/', { ...own, host: '0.0.0.0' })).toBeUndefined()
  })
})

describe('answers of a server', () => {
  const parts = new AsyncDisposableStack()
  let stack: Stack
  beforeAll(async () => {
    stack = parts.adopt(await startStack(), one => one.close())
  })
  afterAll(() => parts.disposeAsync())

  const asked = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${stack.base_url}${path}`, { headers })

  it.each([
    ['/v2/runs', true],
    ['/v2/runs', false],
    ['/v1/nothing', true],
    ['/health', false],
    ['/v1/results?agent=x', true],
  ])('to %s (with a key: %s) are kept by no cache and taken for no page', async (path, withKey) => {
    const { headers } = await asked(path, withKey ? { authorization: `Bearer ${stack.api_key}` } : {})
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      'no-store',
      'nosniff',
    ])
  })

  it('are refused to a page whose name was rebound to this machine', async () => {
    const { request } = await import('node:http')
    const { hostname, port } = new URL(stack.base_url)
    const status = (host: string) =>
      new Promise(resolve =>
        request(
          { hostname, port, path: '/v2/runs', headers: { host, authorization: `Bearer ${stack.api_key}` } },
          answer => {
            answer.resume()
            resolve(answer.statusCode)
          },
        ).end(),
      )
    expect(await status('evil.example')).toBe(403)
    expect(await status(`localhost:${port}`)).toBe(200)
  })
})
