import { beforeEach, describe, expect, it } from 'vitest'
import { connect } from './api.ts'
import { deployAgent } from './deploy.ts'
import { RETRIED_HERE_MS, RETRIED_MS, Retrying, retried } from './retrying.ts'

const OURS = { 'assay-version': '0.1.0' }
const broken = (cause: Error) => () => {
  throw new TypeError('fetch failed', { cause })
}
const errorOf = (code: string, syscall?: string, address?: string) =>
  Object.assign(new Error(code), { code, syscall, address })
const refused = (code: string, syscall?: string, address?: string) => broken(errorOf(code, syscall, address))
const proxy =
  (status: number, body: string, server = '') =>
  () =>
    new Response(body, { status, headers: { 'content-type': 'text/html', ...(server && { server }) } })
const ours = (status: number, code: string) => () =>
  Response.json({ error: { code, message: 'It says so.' } }, { status, headers: OURS })
const good = () => Response.json([], { headers: OURS })

const HAPROXY = '<html><body><h1>503 Service Unavailable</h1>\nNo server is available.\n</body></html>\n'
const DOWN = refused('ECONNREFUSED')
const RESET = refused('ECONNRESET')
const NO_SERVER = proxy(503, HAPROXY)
const BAD_GATEWAY = proxy(502, '<center>nginx</center>', 'nginx')
const NO_STORE = ours(503, 'store_unreachable')

let notes: string[]
let sent: string[]
let waited_s: number
let duringWait: () => void
let retrying: Retrying
beforeEach(() => {
  notes = []
  sent = []
  waited_s = 0
  duringWait = () => {}
  const output = { note: (text: string) => void notes.push(text) }
  retrying = new Retrying(
    output,
    () => waited_s * 1000,
    async seconds => {
      waited_s += seconds
      duringWait()
    },
  )
})

/** A client that gets these answers, and then the last one for ever. */
const client = (...answers: (() => Response)[]) =>
  retried(
    connect({ base_url: 'http://assay.test', api_key: 'pk_test' }, async input => {
      sent.push(await (input as Request).text())
      return (answers.length > 1 ? answers.shift()! : answers[0]!)()
    }),
    retrying,
  )
type Api = ReturnType<typeof client>
const reads = (api: Api) => api.GET('/v1/agents')
const sets = (api: Api) =>
  api.PATCH('/v1/projects/{projectId}', { params: { path: { projectId: 'p' } }, body: { name: 'n' } })
const starts = (api: Api) =>
  api.POST('/v1/runs', { body: { agent: 'a', input: 1, idempotency_key: 'k' } as never })
const cancels = (api: Api) => api.POST('/v2/runs/{runId}/cancel', { params: { path: { runId: 'r' } } })
const deletes = (api: Api) =>
  api.DELETE('/v1/schedules/{scheduleId}', { params: { path: { scheduleId: 's' } } })

const AWAY = [
  ['a refused connection', DOWN],
  ['a connection that breaks off', RESET],
  ['a proxy without a server', NO_SERVER],
  ['a proxy that cannot say how far it came', BAD_GATEWAY],
  ['a store that is away', NO_STORE],
] as const
const REPEATABLE = [
  ['a read', reads],
  ['a change of settings', sets],
  ['a start with a key', starts],
] as const
const ONCE = [
  ['a verb', cancels],
  ['a deletion', deletes],
] as const

describe.each(AWAY)('after %s', (_, away) => {
  it.each(REPEATABLE)('%s is sent again, with one note at first and one at the end', async (_, act) => {
    await act(client(away, away, away, good))
    expect(sent).toHaveLength(4)
    expect(new Set(sent).size).toBe(1)
    expect(notes).toEqual([
      expect.stringMatching(/; asking again for up to 2 minutes$/),
      'the server is back',
    ])
  })
})

describe.each(ONCE)('%s', (_, act) => {
  it.each([
    ['no connection was made', DOWN],
    ['the proxy had nowhere to pass it on to', NO_SERVER],
    ['the proxy limits requests', proxy(429, '', 'cloudflare')],
  ])('is sent again if %s', async (_, away) => {
    await act(client(away, good))
    expect(sent).toHaveLength(2)
  })

  it.each([RESET, BAD_GATEWAY, NO_STORE])(
    'is not sent again if it may have been carried out, and says so (%#)',
    async away => {
      const hint = expect.stringContaining('it may have been carried out all the same')
      await expect(act(client(away, good))).rejects.toMatchObject({ hint })
      expect([sent.length, notes]).toEqual([1, []])
    },
  )

  it.each([
    ['connect', 'EHOSTUNREACH'],
    ['connect', 'ENETUNREACH'],
    ['connect', 'ENETDOWN'],
    ['connect', 'ETIMEDOUT'],
    ['getaddrinfo', 'EAI_AGAIN'],
    [undefined, 'UND_ERR_CONNECT_TIMEOUT'],
    [undefined, 'CERT_HAS_EXPIRED'],
  ])('is sent again after %s %s, even if the server had answered before', async (syscall, code) => {
    const api = client(good, refused(code, syscall), good)
    await reads(api)
    await act(api)
    expect(sent).toHaveLength(3)
  })

  it.each([
    ['read', 'EHOSTUNREACH'],
    ['write', 'ENETUNREACH'],
    ['write', 'ENETDOWN'],
    ['read', 'ETIMEDOUT'],
    ['write', 'EPROTO'],
    [undefined, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
    [undefined, 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'],
  ])('is not sent again after %s %s, of a connection that was made', async (syscall, code) => {
    const api = client(good, refused(code, syscall), good)
    await reads(api)
    const hint = expect.stringContaining('it may have been carried out all the same')
    await expect(act(api)).rejects.toMatchObject({ hint })
    expect(sent).toHaveLength(2)
  })

  it('is sent again only if no address of the name was reached', async () => {
    const cause = new AggregateError([errorOf('EHOSTUNREACH', 'connect'), errorOf('ECONNREFUSED', 'connect')])
    await act(client(broken(Object.assign(cause, { code: 'EHOSTUNREACH' })), good))
    expect(sent).toHaveLength(2)
  })
})

describe('a start that may have been carried out', () => {
  const hint = expect.stringContaining('it may have been carried out all the same')

  it.each([
    ['time is over', () => {}, 'unreachable'],
    ['it is interrupted', () => void process.emit('SIGINT'), 'interrupted'],
  ])('is reported as such when %s, though the last tries reached nothing', async (_, during, code) => {
    duringWait = during
    await expect(starts(client(RESET, DOWN))).rejects.toMatchObject({ code, hint })
    await expect(starts(client(DOWN))).rejects.not.toMatchObject({ hint })
    await expect(reads(client(RESET, DOWN))).rejects.not.toMatchObject({ hint })
  })

  it('is reported as such when it is interrupted before the first answer', async () => {
    const interrupted = () => {
      process.emit('SIGINT')
      throw new DOMException('This operation was aborted', 'AbortError')
    }
    await expect(starts(client(interrupted))).rejects.toMatchObject({ code: 'interrupted', hint })
    expect(sent).toHaveLength(1)
    expect(process.listenerCount('SIGINT')).toBe(0)
  })

  it('is reported as such when a later try is refused', async () => {
    const code = 'rate_limited'
    await expect(starts(client(RESET, ours(429, code)))).rejects.toMatchObject({ code, hint })
  })

  it('is waited for from the first failure on, however long the first try took', async () => {
    const slow = () => {
      waited_s += RETRIED_MS / 1000
      return RESET()
    }
    await starts(client(slow, RESET, good))
    expect(sent).toHaveLength(3)
  })
})

describe('a deploy whose answer was lost', () => {
  const deployed = (triggers: { name: string }[]) =>
    deployAgent(
      client(good, () => Response.json({ id: 'a' }, { headers: OURS }), RESET, NOT_FOUND),
      {
        slug: 'a',
        code: { kind: 'url', url: 'http://a.test', protocol: 'json' },
        declaration: { name: 'A', ...(triggers.length > 0 && { triggers }) },
        env: {},
      },
    )
  const NOT_FOUND = ours(404, 'not_found')

  it('is sent again, unless it declares triggers: then it says how to get their secrets', async () => {
    await expect(deployed([])).rejects.toMatchObject({ code: 'not_found' })
    expect(sent).toHaveLength(4)
    sent = []
    await expect(deployed([{ name: 'from-outside' }])).rejects.toMatchObject({
      code: 'unreachable',
      hint: expect.stringMatching(/\(from-outside\).* assay triggers delete NAME --agent a/),
    })
    expect(sent).toHaveLength(3)
  })
})

describe('asking again', () => {
  it('ends after two minutes with the error', async () => {
    await expect(reads(client(BAD_GATEWAY))).rejects.toMatchObject({ code: 'proxy_unavailable' })
    expect(waited_s * 1000).toBeGreaterThanOrEqual(RETRIED_MS)
    expect(waited_s * 1000).toBeLessThan(RETRIED_MS + 10_000)
    expect(notes).toHaveLength(1)
  })

  it.each(['ENOTFOUND', 'CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'EPROTO'])(
    'does not help against a wrong address or certificate (%s), unless the server has answered there before',
    async code => {
      await expect(reads(client(refused(code), good))).rejects.toMatchObject({ code: 'unreachable' })
      expect(sent).toHaveLength(1)
      const api = client(good, refused(code), good)
      await reads(api)
      await reads(api)
      expect(sent).toHaveLength(4)
    },
  )

  it.each([
    ['not_found', 404],
    ['unauthenticated', 401],
    ['dependency_unreachable', 503], // of readiness, while callers are served
  ])('does not help against %s', async (code, status) => {
    await expect(reads(client(ours(status, code), good))).rejects.toMatchObject({ code })
    expect(sent).toHaveLength(1)
  })

  it.each([
    ['store_full', 503],
    ['internal', 500],
  ])('helps reads alone against %s', async (code, status) => {
    await reads(client(ours(status, code), ours(status, code), good))
    expect(sent).toHaveLength(3)
    for (const act of [starts, cancels, sets])
      await expect(act(client(ours(status, code), good))).rejects.toMatchObject({ code })
    expect(sent).toHaveLength(6)
  })

  it.each(['127.0.0.1', '::1'])(
    'ends after ten seconds if nothing has ever listened at %s',
    async address => {
      await expect(reads(client(refused('ECONNREFUSED', 'connect', address)))).rejects.toMatchObject({
        code: 'unreachable',
      })
      expect(waited_s * 1000).toBe(RETRIED_HERE_MS)
      expect(notes).toEqual([expect.stringMatching(/; asking again for up to 10 seconds$/)])
    },
  )

  it('goes on for two minutes at another address, and here where it has answered before', async () => {
    await expect(reads(client(refused('ECONNREFUSED', 'connect', '10.0.0.1')))).rejects.toThrow()
    expect(waited_s * 1000).toBe(RETRIED_MS)
    const api = client(NO_STORE, refused('ECONNREFUSED', 'connect', '127.0.0.1'))
    await expect(reads(api)).rejects.toThrow()
    expect(waited_s * 1000).toBe(2 * RETRIED_MS)
  })

  it('does not help against an answer of another server', async () => {
    await expect(reads(client(proxy(200, 'It works!'), good))).rejects.toMatchObject({ code: 'not_assay' })
    expect(sent).toHaveLength(1)
  })

  it('waits as long as a proxy asks', async () => {
    const limited = () => new Response('', { status: 429, headers: { 'retry-after': '7' } })
    await reads(client(limited, good))
    expect(waited_s).toBe(7)
  })

  it('is noted once for requests at the same time, with how to start a stack of this machine', async () => {
    const here = { base_url: 'http://127.0.0.1:8090', api_key: 'pk_test' }
    const api = retried(
      connect(here, async () => (sent.push('') > 3 ? good() : DOWN())),
      retrying,
    )
    await Promise.all([reads(api), reads(api), reads(api)])
    expect(notes).toEqual([
      'nothing answers at http://127.0.0.1:8090 (if it does not run: npm start); asking again for up to 2 minutes',
      'the server is back',
    ])
  })

  it('is over for what reports outages itself', async () => {
    retrying.stop()
    await expect(reads(client(DOWN, good))).rejects.toMatchObject({ code: 'unreachable' })
    expect([sent.length, notes]).toEqual([1, []])
  })

  it('nothing is repeated that fetch refuses by itself, such as a port of another protocol', async () => {
    const api = client(broken(new Error('bad port')), good)
    await expect(reads(api)).rejects.toMatchObject({ code: 'unreachable' })
    expect(sent).toHaveLength(1)
  })
})
