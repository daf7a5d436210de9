import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { addressOf, listen } from './listen.ts'

/** Sends two requests with a forwarded address; returns the callers' addresses and what was logged. */
async function asked(proxies: string[] | undefined) {
  const said: unknown[] = []
  const listener = await listen(
    {
      port: 0,
      host: '127.0.0.1',
      proxies,
      log: (level, event, fields) => void said.push([level, event, fields?.proxy]),
    },
    request => new Response(addressOf(request)),
  )
  const ask = async () =>
    (await fetch(listener.url, { headers: { 'x-forwarded-for': '203.0.113.7' } })).text()
  const callers = [await ask(), await ask()]
  await listener.close()
  return { callers, said }
}

it('an unlisted proxy is not trusted, and is logged once [log.proxy_not_trusted]', async () => {
  expect(await asked(undefined)).toEqual({
    callers: ['127.0.0.1', '127.0.0.1'],
    said: [['warn', 'proxy_not_trusted', '127.0.0.1']],
  })
})

it('a listed proxy is trusted', async () => {
  expect(await asked(['127.0.0.1/32'])).toEqual({ callers: ['203.0.113.7', '203.0.113.7'], said: [] })
})

it('idle connections are kept open for 125 s, longer than the proxies before the server keep theirs', async () => {
  const listener = await listen({ port: 0, host: '127.0.0.1' }, () => new Response('here'))
  const { headers } = await fetch(listener.url)
  expect(headers.get('keep-alive')).toBe('timeout=125')
  await listener.close()
})

it('a connection with too many requests at once is closed, and no request beyond the limit is started', async () => {
  let started = 0
  const held = Promise.withResolvers<void>()
  const listener = await listen({ port: 0, host: '127.0.0.1' }, async () => {
    started++
    await held.promise
    return new Response('here')
  })
  const socket = connect(listener.port, '127.0.0.1')
  socket.on('error', () => {}) // a reset counts as an end
  const ended = once(socket, 'close')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(500))
  await ended
  expect(started).toBe(LIMITS.requests_per_connection)
  held.resolve()
  expect(await (await fetch(listener.url)).text()).toBe('here')
  await listener.close()
})
