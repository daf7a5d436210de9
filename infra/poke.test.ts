import { expect, it } from 'vitest'
import { createPoker } from './poke.ts'

function poked(answers: (() => Promise<Response>)[]) {
  const calls: RequestInit[] = []
  const pending: Promise<unknown>[] = []
  const warnings: string[] = []
  const poke = createPoker({
    url: 'http://consume.test/',
    bearer: 'b',
    fetch: ((_url: string, init: RequestInit) => {
      calls.push(init)
      return answers[calls.length - 1]!()
    }) as typeof fetch,
    waitUntil: promise => pending.push(promise),
    log: (_level, event) => warnings.push(event),
  })
  return { poke, calls, warnings, idle: () => Promise.all(pending) }
}

const ok = () => Promise.resolve(Response.json({}))

it('pokes that come while a call is open make one more call, after it', async () => {
  const open = Promise.withResolvers<Response>()
  const { poke, calls, idle } = poked([() => open.promise, ok])
  for (let n = 0; n < 100; n++) poke()
  expect(calls).toHaveLength(1)
  open.resolve(Response.json({}))
  await idle()
  expect(calls).toHaveLength(2)
  expect(calls[0]).toMatchObject({ method: 'POST', headers: { authorization: 'Bearer b' } })
})

it('a call without success is told and not repeated', async () => {
  const refused = poked([() => Promise.resolve(new Response('', { status: 503 }))])
  refused.poke()
  await refused.idle()
  expect(refused.warnings).toEqual(['poke_refused'])
  const failed = poked([() => Promise.reject(new Error('nobody there')), ok])
  failed.poke()
  await failed.idle()
  expect(failed.warnings).toEqual(['poke_failed'])
  failed.poke()
  await failed.idle()
  expect(failed.calls).toHaveLength(2)
})
