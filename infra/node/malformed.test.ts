import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { listen } from './listen.ts'
import { answerMalformed } from './malformed.ts'
import { startRouter } from './router.ts'

/** What a server sends until it closes the connection. */
async function sent(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

const MALFORMED: Record<string, [string, number]> = {
  'no HTTP at all': ['hello\r\n\r\n', 400],
  'TLS on a plain port': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  'a method nobody knows': ['FROB / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  'a version nobody knows': ['GET / HTTP/9.9\r\nhost: x\r\n\r\n', 400],
  'a header without a name': ['GET / HTTP/1.1\r\n: x\r\n\r\n', 400],
  'a control character in a header': ['GET / HTTP/1.1\r\nhost: x\r\na: \x01\r\n\r\n', 400],
  'two lengths': ['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nabcde', 400],
  'a length that is none': ['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -3\r\n\r\n', 400],
  'a length and chunks': [
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  'headers that are too long': [`GET / HTTP/1.1\r\nhost: x\r\ncookie: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  'a URL that is too long': [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
  'no host': ['GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
  'a tunnel': ['CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  'another expectation': ['GET / HTTP/1.1\r\nhost: x\r\nexpect: a cake\r\nconnection: close\r\n\r\n', 400],
}

const closing: (() => Promise<void>)[] = []
const started = async (server: Promise<{ port: number; close(): Promise<void> }>) => {
  const { port, close } = await server
  closing.push(close)
  return port
}

it.each(Object.entries(MALFORMED))('%s is an error in JSON', async (_, [text, status]) => {
  const at = { port: 0, host: '127.0.0.1' }
  const servers = [
    await started(listen(at, () => new Response('here'))),
    await started(startRouter({ ...at, routes: [], unitUrl: 'http://assay-{unit}.invalid' })),
  ]
  for (const port of servers) {
    const [head, body] = (await sent(port, text)).split('\r\n\r\n') as [string, string]
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/content-type: application\/json/i)
    expect(head).toMatch(/x-request-id: .+/i)
    expect(JSON.parse(body).error).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/./),
    })
  }
  for (const close of closing.splice(0)) await close()
})

it('a host that makes no URL is an error in JSON', async () => {
  const port = await started(listen({ port: 0, host: '127.0.0.1' }, () => new Response('here')))
  for (const host of ['a b', 'a/b', '[', '']) {
    const answer = await sent(port, `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
    if (host === '') continue // an empty host is allowed
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!).error.code).toBe('invalid_request')
  }
  for (const close of closing.splice(0)) await close()
})

it('a body that breaks its format midway ends the connection and is no second answer', async () => {
  const answered = Promise.withResolvers<void>()
  const port = await started(
    listen({ port: 0, host: '127.0.0.1' }, () => {
      answered.resolve()
      return new Response(
        new ReadableStream({ pull: () => new Promise(() => {}), start: c => c.enqueue('x') }),
      )
    }),
  )
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n')
  await answered.promise
  let answer = ''
  for await (const chunk of socket) {
    answer += chunk
    if (answer.includes('\r\n\r\n')) socket.write('zz\r\n')
  }
  expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1)
  for (const close of closing.splice(0)) await close()
})

it('headers that do not arrive in time are an error in JSON', async () => {
  const server = createServer({ headersTimeout: 50, connectionsCheckingInterval: 10 })
  answerMalformed(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const [head, body] = (await sent((server.address() as AddressInfo).port, 'GET / HTTP/1.1\r\nho')).split(
    '\r\n\r\n',
  )
  expect(head).toMatch(/^HTTP\/1.1 408 /)
  expect(JSON.parse(body!).error.code).toBe('invalid_request')
  server.close()
})

it('a caller that goes on sending gets the answer, not a reset', async () => {
  const port = await started(listen({ port: 0, host: '127.0.0.1' }, () => new Response('here')))
  const answer = await sent(port, `GET / HTTP/1.1\r\nhost: x\r\ncookie: ${'a'.repeat(5_000_000)}\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1.1 431 .*"code":"invalid_request"/s)
  for (const close of closing.splice(0)) await close()
})
