import { afterAll, expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createInvoker } from './invoker.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

/** What an agent returns whose module and first request say the time in many ways. */
async function answerOf(module: string, request: string) {
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  const code = `import { hrtime } from 'node:process'
import * as timers from 'node:perf_hooks'
${module}
export default { fetch: async () => Response.json({ atModule, inRequest: ${request} }) }`
  const invoker = parts.adopt(createInvoker({ loadBundle: async () => code, dataDir: folder.path }), one =>
    one.close(),
  )
  const target = {
    account_id: 'a',
    agent_id: 'a',
    deployment_id: 'd',
    kind: 'bundle' as const,
    protocol: 'ndjson' as const,
    url: null,
    bundle_hash: 'h',
    declaration: { name: 'clock' },
    env: {},
    together: null,
  }
  const request_ = { headers: {}, body: '', signal: AbortSignal.timeout(60_000) }
  const { body } = await invoker.invoke(target, request_)
  let text = ''
  for await (const chunk of body) text += Buffer.from(chunk).toString()
  return JSON.parse(text)
}

it('is right at module level, however the time is asked for', async () => {
  const before = Date.now()
  const { atModule } = await answerOf(
    `class Own extends Date {}
    const format = new Intl.DateTimeFormat('sv')
    const atModule = {
      now: Date.now(), date: +new Date(), own: +new Own(), text: Date.parse(Date()), made: +Reflect.construct(Date, []),
      origin: performance.timeOrigin,
      day: [format.format(), format.formatToParts().map(part => part.value).join(''), new Date().toLocaleDateString('sv')],
      elapsed: [performance.now(), timers.performance.now(), ...hrtime(), ...process.hrtime(), Number(hrtime.bigint())],
    }`,
    '1',
  )
  const { day, elapsed, text, ...times } = atModule
  for (const [name, time] of Object.entries({ ...times, text: text + 999 }))
    expect([name, (time as number) >= before && (time as number) <= Date.now() + 999]).toEqual([name, true])
  expect(new Set(day)).toEqual(new Set([new Intl.DateTimeFormat('sv').format(before)]))
  expect(elapsed).toEqual([0, 0, 0, 0, 0, 0, 0])
})

it('is one clock with that of requests, and dates stay dates', async () => {
  const { atModule, inRequest } = await answerOf(
    'const atModule = Date.now(), made = new Date(), Before = Date',
    `{
      later: Date.now() >= atModule, elapsed: performance.now(), up: process.uptime(), hr: hrtime([0, 0])[0],
      same: [Before === Date, made instanceof Date, made.constructor === Date, structuredClone(made) instanceof Date],
      given: [new Date(0).toISOString(), new Date(2020, 1, 3).getDate(), new Date('2020-01-01').getTime(), String(new Date(undefined)), Date.UTC(1970)],
      shape: [Date.name, Date.length, Object.keys(Date), Object.prototype.toString.call(made), typeof Date()],
    }`,
  )
  expect(atModule).toBeGreaterThan(1e12)
  expect(inRequest).toMatchObject({
    later: true,
    same: [true, true, true, true],
    given: ['1970-01-01T00:00:00.000Z', 3, 1577836800000, 'Invalid Date', 0],
    shape: ['Date', 7, [], '[object Date]', 'string'],
  })
  for (const seconds of [inRequest.elapsed / 1000, inRequest.up, inRequest.hr])
    expect(seconds).toBeLessThan(60)
})
