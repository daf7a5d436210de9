import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import {
  challengeOf,
  eventIdOf,
  newTriggerSecret,
  SCHEMES,
  type SigningScheme,
  signingSecretProblem,
  verifySignature,
} from './webhook-signatures.ts'

const NOW_S = 1_614_265_330
const BODY = '{"id":"evt_1",  "amount":1.50}'
const hmac = (secret: string, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', secret).update(text).digest(encoding)

interface Sent {
  secret: string
  /** Seconds since 1970. */
  at: number
  body: string
  headers: Record<string, string>
}

/** Signs as each scheme's documentation says, with a library of the sender's side or with Node's HMAC. */
const SENDERS: Record<SigningScheme, (given: { secret?: string; at?: number; body?: string }) => Sent> = {
  standard_webhooks({ secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', at = NOW_S, body = BODY }) {
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
    const signature = new Webhook(secret).sign(id, new Date(at * 1000), body)
    const headers = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature }
    return { secret, at, body, headers }
  },
  github({ secret = "It's a Secret to Everybody", at = NOW_S, body = BODY }) {
    const headers = { 'X-Hub-Signature-256': `sha256=${hmac(secret, body, 'hex')}`, 'X-GitHub-Delivery': 'd' }
    return { secret, at, body, headers }
  },
  stripe({ secret = 'whsec_stripe', at = NOW_S, body = BODY }) {
    const signature = hmac(secret, `${at}.${body}`, 'hex')
    return { secret, at, body, headers: { 'Stripe-Signature': `t=${at},v1=${signature},v0=0` } }
  },
  slack({ secret = '8f742231b10e8888abcd99yyyzzz85a5', at = NOW_S, body = BODY }) {
    const signature = `v0=${hmac(secret, `v0:${at}:${body}`, 'hex')}`
    const headers = { 'X-Slack-Signature': signature, 'X-Slack-Request-Timestamp': String(at) }
    return { secret, at, body, headers }
  },
  shopify({ secret = 'hush hush', at = NOW_S, body = BODY }) {
    const headers = { 'X-Shopify-Hmac-Sha256': hmac(secret, body, 'base64'), 'X-Shopify-Webhook-Id': 'w' }
    return { secret, at, body, headers }
  },
}
const ALL = Object.keys(SCHEMES) as SigningScheme[]
const TIMED: SigningScheme[] = ['standard_webhooks', 'stripe', 'slack']

async function verdict(scheme: SigningScheme, sent: Sent, now_s = NOW_S): Promise<string> {
  const body = new TextEncoder().encode(sent.body)
  const headers = new Headers(sent.headers)
  return verifySignature(scheme, sent.secret, headers, body, now_s * 1000).then(
    () => 'holds',
    error => `${error.code}: ${error.message}`,
  )
}

describe('the published example signature is valid for', () => {
  it('Standard Webhooks', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const sent = { secret, at: 1614265330, body: '{"test": 2432232314}', headers }
    expect(await verdict('standard_webhooks', sent)).toBe('holds')
  })

  it('Svix, with its own header names, from which the event id is read too', async () => {
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
    const headers = {
      'svix-id': id,
      'svix-timestamp': '1614265330',
      'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const sent = {
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      at: 1614265330,
      body: '{"test": 2432232314}',
      headers,
    }
    expect(await verdict('standard_webhooks', sent)).toBe('holds')
    expect(eventIdOf('standard_webhooks', new Headers(headers), sent.body)).toBe(id)
    const mixed = { ...headers, 'webhook-id': 'another', 'svix-id': '' }
    expect(await verdict('standard_webhooks', { ...sent, headers: mixed })).toMatch(/^unauthenticated/)
    const both = {
      ...headers,
      'webhook-signature': 'v1,none',
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
    }
    expect(await verdict('standard_webhooks', { ...sent, headers: both })).toMatch(/^unauthenticated/)
  })

  it('GitHub', async () => {
    const headers = {
      'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    }
    const sent = { secret: "It's a Secret to Everybody", at: 0, body: 'Hello, World!', headers }
    expect(await verdict('github', sent)).toBe('holds')
  })

  it('Slack', async () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
    const headers = {
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    }
    const sent = { secret: '8f742231b10e8888abcd99yyyzzz85a5', at: 1531420618, body, headers }
    expect(await verdict('slack', sent, 1531420618)).toBe('holds')
  })
})

describe.for(ALL)('a request signed with %s', scheme => {
  const send = SENDERS[scheme]

  it('is valid as it was sent', async () => {
    expect(await verdict(scheme, send({}))).toBe('holds')
  })

  it('is not valid with any byte of its body changed', async () => {
    const sent = send({})
    for (const body of [`${sent.body} `, sent.body.replace('1.50', '1.51'), sent.body.slice(1), '']) {
      expect(await verdict(scheme, { ...sent, body })).toMatch(/^unauthenticated: No signature/)
    }
  })

  it('is not valid with another secret', async () => {
    const other = scheme === 'standard_webhooks' ? `whsec_${btoa('x'.repeat(32))}` : 'another secret'
    expect(await verdict(scheme, { ...send({}), secret: other })).toMatch(/^unauthenticated: No signature/)
  })

  it('is not valid without one of its headers, or with a strange signature', async () => {
    const sent = send({})
    const header = SCHEMES[scheme].header
    for (const name of Object.keys(sent.headers)) {
      // Not every scheme signs the header that names the event.
      if (name === 'X-GitHub-Delivery' || name === 'X-Shopify-Webhook-Id') continue
      const { [name]: _, ...headers } = sent.headers
      expect(await verdict(scheme, { ...sent, headers })).toMatch(
        /^unauthenticated: The .+ header is missing/,
      )
    }
    for (const strange of ['', 'v1,', 'v1=', 'sha256=', 't=1', ',,,', '=', 'v0=zz', 'v1,AAAA', '\xff']) {
      const headers = new Headers(sent.headers)
      headers.set(header, strange)
      expect(await verdict(scheme, { ...sent, headers: Object.fromEntries(headers) })).toMatch(
        /^unauthenticated/,
      )
    }
  })
})

describe.for(TIMED)('a request of %s, whose signature includes the time,', scheme => {
  const send = SENDERS[scheme]

  it('is valid for five minutes, in both directions', async () => {
    for (const [now_s, holds] of [
      [NOW_S + 300, true],
      [NOW_S + 301, false],
      [NOW_S - 300, true],
      [NOW_S - 301, false],
    ] as const) {
      const found = await verdict(scheme, send({}), now_s)
      expect([now_s, found]).toEqual([
        now_s,
        holds ? 'holds' : expect.stringMatching(/^unauthenticated: .*another time/),
      ])
    }
  })

  it('is not valid with another time than the signed one', async () => {
    const sent = send({ at: NOW_S - 1000 })
    const headers = Object.fromEntries(
      Object.entries(sent.headers).map(([name, value]) => [
        name,
        value.replace(String(sent.at), String(NOW_S)),
      ]),
    )
    expect(await verdict(scheme, { ...sent, headers })).toMatch(/^unauthenticated: No signature/)
  })
})

it('one valid signature of several is enough, as when a sender changes its secret', async () => {
  const standard = SENDERS.standard_webhooks({})
  const old = `v1,${btoa('x'.repeat(32))}`
  const signature = `${old} v1a,${old} ${standard.headers['webhook-signature']}`
  const headers = { ...standard.headers, 'webhook-signature': signature }
  expect(await verdict('standard_webhooks', { ...standard, headers })).toBe('holds')
  const stripe = SENDERS.stripe({})
  const both = stripe.headers['Stripe-Signature']!.replace('v1=', `v1=${'0'.repeat(64)},v1=`)
  expect(await verdict('stripe', { ...stripe, headers: { 'Stripe-Signature': both } })).toBe('holds')
})

it('the event id is read from a header or from a field of the body', () => {
  const headers = new Headers({ 'webhook-id': 'm', 'x-github-delivery': 'd', 'x-shopify-webhook-id': 'w' })
  const text = '{"id":"evt_1","event_id":"Ev\\u0031"}'
  const ids = ALL.map(scheme => [scheme, eventIdOf(scheme, headers, text)])
  expect(Object.fromEntries(ids)).toEqual({
    standard_webhooks: 'm',
    github: 'd',
    stripe: 'evt_1',
    slack: 'Ev1',
    shopify: 'w',
  })
  for (const other of ['null', '[]', '"id"', '{}', '{"id":1}', ' {"ids":"x"}']) {
    expect(eventIdOf('stripe', headers, other)).toBeUndefined()
  }
})

it('only Slack’s url_verification requests are read as a challenge', () => {
  const text = '{"token":"t","challenge":"3eZbrw1a","type":"url_verification"}'
  expect(challengeOf('slack', text)).toBe('3eZbrw1a')
  expect(challengeOf('stripe', text)).toBeUndefined()
  expect(challengeOf('slack', '{"type":"event_callback","challenge":"x"}')).toBeUndefined()
  expect(challengeOf('slack', '[]')).toBeUndefined()
})

it('a secret is generated only for schemes whose senders do not make it, and fits the scheme', () => {
  const random = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  expect(newTriggerSecret('bearer', random)).toMatch(/^whk_secret_[A-Za-z0-9_-]{43}$/)
  expect(newTriggerSecret('github', random)).toMatch(/^whk_secret_/)
  const standard = newTriggerSecret('standard_webhooks', random)!
  expect(standard).toMatch(/^whsec_/)
  expect(signingSecretProblem('standard_webhooks', standard)).toBeUndefined()
  expect(() => new Webhook(standard)).not.toThrow()
  for (const scheme of ['stripe', 'slack', 'shopify'] as const)
    expect(newTriggerSecret(scheme, random)).toBeNull()
})

it('a signing secret of Standard Webhooks has 24 to 64 bytes in base64', () => {
  const of = (bytes: number) => btoa('k'.repeat(bytes))
  const problem = (secret: string) => signingSecretProblem('standard_webhooks', secret)
  for (const good of [of(24), `whsec_${of(24)}`, of(25), of(64)]) expect(problem(good)).toBeUndefined()
  for (const bad of [
    of(23),
    of(65),
    'whsec_',
    `${of(24)}=`,
    'not base64 at all, at any rate',
    `whsec_whsec_${of(24)}`,
  ])
    expect([bad, problem(bad)]).toEqual([bad, expect.stringContaining('24 to 64 bytes')])
  expect(signingSecretProblem('bearer', of(24))).toContain('made here')
})
