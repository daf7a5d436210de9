import { describe, expect, it } from 'vitest'
import { ApiFailure, createClient } from './client.ts'

const BASE = 'http://assay.test/assay'
const OURS = { 'assay-version': '0.1.0', 'content-type': 'application/json' }
const html = (title: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body>…</body></html>`

/** The error that a client throws for an answer. */
async function failureOf(body: string | null, init: ResponseInit): Promise<ApiFailure> {
  const answer = async () => new Response(body, init)
  const client = createClient({ baseUrl: BASE, apiKey: 'pk_secret', fetch: answer })
  const failure = await client.GET('/v2/runs').catch(error => error)
  expect(failure).toBeInstanceOf(ApiFailure)
  return failure
}

const NGINX = (status: string) =>
  `<html>\r\n<head><title>${status}</title></head>\r\n<body>\r\n<center><h1>${status}</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n`
const CLOUDFLARE_413 = NGINX('413 Request Entity Too Large').replace('nginx/1.22.1', 'cloudflare')
const HAPROXY = (status: string, why: string) => `<html><body><h1>${status}</h1>\n${why}\n</body></html>\n`
const page = { 'content-type': 'text/html' }
const plain = { 'content-type': 'text/plain; charset=utf-8' }

describe('a response that does not come from Assay', () => {
  it.each([
    [
      413,
      NGINX('413 Request Entity Too Large'),
      { ...page, server: 'nginx' },
      'nginx',
      /client_max_body_size/,
    ],
    [413, CLOUDFLARE_413, { ...page, server: 'cloudflare', 'cf-ray': '8f-FRA' }, 'Cloudflare', /100 MB/],
    [
      413,
      NGINX('413 x'),
      { ...page, server: 'cloudflare', 'cf-ray': '8f-FRA' },
      'nginx',
      /client_max_body_size/,
    ],
    [413, '', { server: 'Caddy' }, 'Caddy', /max_size/],
    [
      413,
      HAPROXY('413 Payload Too Large', 'The request entity exceeds the maximum allowed.'),
      page,
      'HAProxy',
      /req\.body_size/,
    ],
    [413, 'Request Entity Too Large', plain, 'Traefik', /maxRequestBodyBytes/],
    [413, 'too large', plain, 'a proxy', /raise the limit on request bodies/],
  ])(
    'with %i says whose limit on bodies it is, and where to set it',
    async (status, body, headers, by, hint) => {
      expect(await failureOf(body, { status, headers: headers as HeadersInit })).toMatchObject({
        code: 'proxy_body_limit',
        status,
        answered_by: by,
        message: expect.stringContaining(by),
        hint: expect.stringMatching(hint),
      })
    },
  )

  it.each([
    [
      502,
      NGINX('502 Bad Gateway'),
      { ...page, server: 'nginx' },
      'nginx',
      /\/health\/serving asks Assay through nginx/,
    ],
    [
      503,
      HAPROXY('503 Service Unavailable', 'No server is available to handle this request.'),
      page,
      'HAProxy',
      /\/health\/serving/,
    ],
    [
      504,
      HAPROXY('504 Gateway Time-out', "The server didn't respond in time."),
      page,
      'HAProxy',
      /time that HAProxy waits/,
    ],
    [504, NGINX('504 Gateway Time-out'), { ...page, server: 'openresty' }, 'nginx', /time that nginx waits/],
    [502, '', { server: 'Caddy' }, 'Caddy', /max_size/],
    [502, 'Bad Gateway', plain, 'Traefik', /\/health\/serving/],
    [
      524,
      'error code: 524',
      { ...plain, server: 'cloudflare', 'cf-ray': '8f-FRA' },
      'Cloudflare',
      /several batches/,
    ],
    [
      503,
      'upstream connect error or disconnect/reset before headers',
      { ...plain, server: 'envoy' },
      'the server "envoy"',
      /\/health\/serving/,
    ],
    [
      500,
      '{"message":"An unexpected error occurred"}',
      { 'content-type': 'application/json', server: 'kong/3.4' },
      'the server "kong"',
      /\/health\/serving/,
    ],
    [
      504,
      'Gateway Timeout',
      { ...plain, 'x-openfaas-internal': 'of-watchdog' },
      'OpenFaaS',
      /time that OpenFaaS waits/,
    ],
    [502, '', {}, 'a proxy', /\/health\/serving/],
    [408, '', {}, 'another server', /several batches/],
    [408, NGINX('408 Request Time-out'), { ...page, server: 'nginx' }, 'nginx', /several batches/],
  ])('with %i says who cannot reach Assay, and what to check', async (status, body, headers, by, hint) => {
    expect(await failureOf(body, { status, headers: headers as HeadersInit })).toMatchObject({
      code: 'proxy_unavailable',
      answered_by: by,
      hint: expect.stringMatching(hint),
    })
  })

  it('with 429 says who limits requests, and how long to wait', async () => {
    const headers = { ...page, server: 'cloudflare', 'cf-ray': '8f-FRA', 'retry-after': '30' }
    expect(await failureOf(html('Rate limited'), { status: 429, headers })).toMatchObject({
      code: 'proxy_rate_limited',
      answered_by: 'Cloudflare',
      hint: expect.stringContaining('wait 30 s'),
    })
  })

  it('with 401 says that a proxy requires a name and a password', async () => {
    const headers = { ...page, server: 'nginx', 'www-authenticate': 'Basic realm="staging"' }
    expect(await failureOf(NGINX('401 Authorization Required'), { status: 401, headers })).toMatchObject({
      code: 'proxy_refused',
      message: expect.stringContaining('name and a password'),
    })
  })

  it.each([
    [
      'a page',
      html('Sign in to Corporate WiFi'),
      { ...page, 'x-request-id': 'of-a-proxy' },
      /the page "Sign in to Corporate WiFi"/,
    ],
    [
      'JSON of another kind',
      '{"status":"ok"}',
      { 'content-type': 'application/json' },
      /JSON of another kind/,
    ],
    ['nothing', '', {}, /an empty body/],
    ['a text', 'It works!', plain, /"It works!"/],
  ])('with 200 and %s is reported as not from Assay', async (_, body, headers, message) => {
    expect(await failureOf(body, { status: 200, headers: headers as HeadersInit })).toMatchObject({
      code: 'not_assay',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('ASSAY_BASE_URL'),
    })
  })

  it('with a JSON error like one of Assay’s is still foreign without a header of Assay', async () => {
    const body = JSON.stringify({ error: { code: 'unauthorized', message: 'no' } })
    const headers = { 'content-type': 'application/json' }
    expect(await failureOf(body, { status: 401, headers })).toMatchObject({ code: 'proxy_refused' })
  })
})

describe('a redirect', () => {
  it.each([
    [301, 'https://assay.test/assay/v2/runs', 'ASSAY_BASE_URL=https://assay.test/assay '],
    [308, 'https://assay.example.com/v2/runs', 'ASSAY_BASE_URL=https://assay.example.com '],
    [302, '/new/v2/runs', 'ASSAY_BASE_URL=http://assay.test/new '],
  ])('with %i to %s is an error that says what to set', async (status, location, hint) => {
    expect(await failureOf('', { status, headers: { location, server: 'nginx' } })).toMatchObject({
      code: 'redirected',
      answered_by: 'nginx',
      hint: expect.stringContaining(hint),
    })
  })

  it.each(['/login?next=%2Fassay%2Fv2%2Fruns', 'https://sso.test/', 'http://assay.test/assay/v2/runs', ''])(
    'to a sign-in page (%s) is an error that says that the page must let the API through',
    async location => {
      expect(await failureOf('', { status: 302, headers: location ? { location } : {} })).toMatchObject({
        code: 'redirected',
        hint: expect.stringContaining('let the API through'),
      })
    },
  )

  it('is not followed, since the key is for one address', async () => {
    const asked: (string | undefined)[] = []
    const client = createClient({
      baseUrl: BASE,
      apiKey: 'pk_secret',
      fetch: async (input, init) => {
        asked.push(input instanceof Request ? input.redirect : init?.redirect)
        return new Response('[]', { headers: OURS })
      },
    })
    await client.GET('/v2/runs')
    await client.results({ run_id: 'r' })
    expect(asked).toEqual(['manual', 'manual'])
  })
})

describe('a response from Assay', () => {
  const reading = (body: BodyInit | null, init: ResponseInit = {}) =>
    createClient({
      baseUrl: BASE,
      apiKey: 'pk_secret',
      fetch: async () => new Response(body, { headers: OURS, ...init }),
    })

  it('is recognised by the header with its version', async () => {
    expect((await reading('[]').GET('/v2/runs')).data).toEqual([])
    const unmarked = reading('[]', { headers: { 'content-type': 'application/json' } })
    await expect(unmarked.GET('/v2/runs')).rejects.toMatchObject({ code: 'not_assay' })
  })

  it('may have no body', async () => {
    const acknowledged = reading(null, { status: 200, headers: { 'assay-version': '0.1.0' } })
    const params = { path: { itemId: 'i' } }
    expect(
      (await acknowledged.POST('/v1/durable/runs/{itemId}/acknowledge', { params })).data,
    ).toBeUndefined()
  })

  it('with an error keeps the error’s own words', async () => {
    const error = { code: 'not_found', message: 'There is no such run.', hint: 'Look.' }
    const client = reading(JSON.stringify({ error }), { status: 404, headers: OURS })
    await expect(client.GET('/v2/runs')).rejects.toMatchObject({ ...error, answered_by: undefined })
  })

  it.each(['[{"id":', '[{"id":"1"}]<script>'])('that was cut or changed (%s) is an error', async body => {
    await expect(reading(body).GET('/v2/runs')).rejects.toMatchObject({ code: 'broken_answer' })
  })

  it('in lines is reported as broken if its last line has no end', async () => {
    const headers = { 'assay-version': '0.1.0', 'content-type': 'application/x-ndjson' }
    const records = reading('{"id":"1"}\n{"id":', { headers }).records()
    expect((await records.next()).value).toEqual({ id: '1' })
    await expect(records.next()).rejects.toMatchObject({ code: 'broken_answer' })
  })

  it('with events is not read from an HTML page', async () => {
    const events = reading(html('Sign in'), { headers: page }).runEvents('r')
    await expect(events.next()).rejects.toMatchObject({ code: 'not_assay' })
  })
})
