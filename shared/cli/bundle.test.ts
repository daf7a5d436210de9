import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AGENT_COMPATIBILITY_DATE } from '../../infra/runtime/workerd-config.ts'
import { LIMITS } from '../kernel/limits.ts'
import { bundleAgent } from './bundle.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-bundle-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function file(name: string, source: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, source)
  return path
}

const agent = (body: string, options = "{ name: 'Bundled' }") =>
  `import { agent } from 'assay'\n@agent(${options})\nexport default class Bundled { ${body} }`

describe('bundleAgent', () => {
  it('builds a module that workerd runs, from a file outside any project', async () => {
    const path = await file(
      'works.ts',
      `import { createHash } from 'crypto'
       import { z } from 'zod'
       import { agent, type Context } from 'assay'
       @agent({ name: 'Bundled', input: z.object({ text: z.string() }) })
       export default class Bundled {
         async run(ctx: Context, { text }: { text: string }) {
           console.log('output of the agent is no part of the protocol')
           if (text === 'hang') return new Promise(() => {})
           return ctx.step('hash', () => createHash('sha256').update(text).digest('hex').slice(0, 8))
         }
       }`,
    )
    const { code, declaration, bytes } = await bundleAgent(path)
    expect(declaration).toMatchObject({ name: 'Bundled', input_schema: { required: ['text'] } })
    expect(bytes).toBe(Buffer.byteLength(code))
    expect((await bundleAgent(path)).code).toBe(code)

    const host = new Miniflare({
      modules: [{ type: 'ESModule', path: 'agent.mjs', contents: code }],
      compatibilityDate: AGENT_COMPATIBILITY_DATE,
      compatibilityFlags: ['nodejs_compat'],
    })
    try {
      const body = JSON.stringify({ seq: 7, attempt: 1, input: { text: 'a' } })
      const response = await host.dispatchFetch('http://agent/', { method: 'POST', body })
      const lines = (await response.text())
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(lines).toMatchObject([
        { type: 'step', seq: 7, step: { key: 'hash', output: 'ca978112' } },
        { type: 'result', seq: 7, output: 'ca978112' },
      ])

      const hanging = JSON.stringify({ seq: 8, attempt: 1, timeout_ms: 100, input: { text: 'hang' } })
      const late = await host.dispatchFetch('http://agent/', { method: 'POST', body: hanging })
      expect(JSON.parse(await late.text())).toMatchObject({ type: 'error', error: { code: 'step_timeout' } })
    } finally {
      await host.dispose()
    }
  })

  it('has cron-parser if the agent has a schedule, and luxon only if it imports cron-parser itself', async () => {
    const scheduled =
      "import { agent, schedule } from 'assay'\n@schedule('0 9 * * 1-5') @agent({ name: 'Bundled' })"
    const next =
      "CronExpressionParser.parse('0 9 * * *', { tz: 'Asia/Tokyo', currentDate: new Date(0) }).next()"
    const sources = {
      plain: agent('run() {}'),
      scheduled: `${scheduled}\nexport default class Bundled { run() {} }`,
      dates: `import { CronExpressionParser } from 'cron-parser'
        ${scheduled}
        export default class Bundled { run() { return ${next}.toISOString() } }`,
    }
    const codes: Record<string, string> = {}
    for (const [name, source] of Object.entries(sources))
      codes[name] = (await bundleAgent(await file(`${name}.ts`, source))).code
    const found = Object.entries(codes).map(([name, code]) => [
      name,
      code.includes('too many values in'),
      code.includes('IANAZone'),
    ])
    expect(found).toEqual([
      ['plain', false, false],
      ['scheduled', true, false],
      ['dates', true, true],
    ])
    const { default: both } = await import(await file('dates.mjs', codes.dates!))
    const body = JSON.stringify({ seq: 1, attempt: 1, input: null })
    const answer = await both.fetch(new Request('http://agent/', { method: 'POST', body }))
    expect(await answer.json()).toMatchObject({ type: 'result', output: '1970-01-02T00:00:00.000Z' })
  })

  it('loads an agent that prints while it loads', async () => {
    const path = await file('prints.ts', `console.log('{"declaration":{}}')\n${agent('run() {}')}`)
    expect((await bundleAgent(path)).declaration).toEqual({ name: 'Bundled' })
  })

  it.each([
    ['no_default_export', 'export class A {}', /exports no agent/],
    ['DecoratorTargetError', 'export default class A { run() {} }', /class A is not an agent/],
    [
      'DecoratorTargetError',
      `import { agent, schedule } from 'assay'
       @agent({ name: 'Below' }) @schedule('0 9 * * *') export default class A { run() {} }`,
      /@schedule stands above @agent/,
    ],
    [
      'DecoratorValidationError',
      `import { agent, schedule } from 'assay'
       @schedule('0 25 * * *') @agent({ name: 'Late' }) export default class A { run() {} }`,
      /@schedule cron: "0 25 \* \* \*": .*hour/,
    ],
    ['DecoratorTargetError', 'export default 5', /a number is not an agent/],
    [
      'DecoratorValidationError',
      agent('run() {}', "{ name: 'a', retries: 99 }"),
      /retries: must be a whole number from 0/,
    ],
    ['DecoratorValidationError', agent('go() {}'), /needs a method run/],
    [
      'load_failed',
      `throw new Error('no key')\n${agent('run() {}')}`,
      /no key.*create clients inside the class/s,
    ],
    ['load_failed', `process.exit(3)\n${agent('run() {}')}`, /called process\.exit\(3\)/],
    ['bundle_failed', 'export default class A {\n  run( {\n}', /wrong\d+\.ts:\d+:\d+: /],
    [
      'bundle_failed',
      "import x from 'not-installed-anywhere'\nexport default x",
      /wrong\d+\.ts:1:\d+: .*not-installed/,
    ],
  ])('refuses with %s: %s', async (code, source, message) => {
    const path = await file(`wrong${Math.abs(source.length)}.ts`, source)
    await expect(bundleAgent(path)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  it('refuses a bundle over the limit', async () => {
    const data = JSON.stringify('x'.repeat(LIMITS.agent_bundle_bytes))
    const path = await file('large.ts', `export const data = ${data}\n${agent('run() { return data }')}`)
    await expect(bundleAgent(path)).rejects.toMatchObject({ code: 'bundle_too_large' })
  })
})
