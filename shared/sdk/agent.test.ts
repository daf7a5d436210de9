import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AgentClass, agent, declarationOf } from './agent.ts'
import type { AgentOptions } from './agent-options.ts'
import { DecoratorTargetError, DecoratorValidationError } from './errors.ts'

function declared<C extends AgentClass>(options: AgentOptions, target: C): C {
  agent(options)(target as never, { kind: 'class', name: target.name } as never)
  return target
}

class Echo {
  run = (_ctx: unknown, input: unknown) => input
}
class Plain {
  async run(_ctx: unknown, input: unknown) {
    return input
  }
}

describe('@agent', () => {
  it('turns its options into the declaration of a deployment', () => {
    const Agent = declared(
      {
        name: 'Ticket triage',
        itemBudgetCents: 0.5,
        onBudget: 'pause',
        refusals: 'balanced',
        checks: ['cut_json'],
        language: 'de',
        maxSteps: 20,
        concurrency: 50,
        timeoutSeconds: 60,
        retries: 1,
        maxConsecutiveFailures: 30,
        network: ['api.openai.com', '127.0.0.1:8099', '$OPENAI_BASE_URL', '*'],
      },
      class extends Plain {
        override async run() {}
      },
    )
    expect(declarationOf(Agent)).toEqual({
      name: 'Ticket triage',
      item_budget_cents: 0.5,
      on_budget: 'pause',
      refusals: 'balanced',
      checks: ['cut_json'],
      language: 'de',
      max_steps: 20,
      concurrency: 50,
      timeout_seconds: 60,
      retries: 1,
      max_consecutive_failures: 30,
      network: ['api.openai.com', '127.0.0.1:8099', '$OPENAI_BASE_URL', '*'],
    })
  })

  it('adds the JSON Schemas of the submitted input and of the output of run()', () => {
    const input = z.object({ text: z.string(), urgent: z.boolean().default(false) })
    const Agent = declared({ name: 'a', input, output: z.object({ n: z.number() }) }, class extends Plain {})
    expect(declarationOf(Agent)).toMatchObject({
      input_schema: { type: 'object', required: ['text'] },
      output_schema: { properties: { n: { type: 'number' } } },
    })
  })

  it('leaves out a schema that cannot be expressed as JSON Schema', () => {
    const Agent = declared({ name: 'a', input: z.object({ at: z.date() }) }, class extends Plain {})
    expect(declarationOf(Agent)).toEqual({ name: 'a' })
  })

  it.each([
    ['name', {}],
    ['name', { name: '  ' }],
    ['name', { name: 'n'.repeat(65) }],
    ['itemBudgetCents', { itemBudgetCents: -1 }],
    ['itemBudgetCents', { itemBudgetCents: Number.NaN }],
    ['onBudget', { onBudget: 'stop' }],
    ['refusals', { refusals: 'some' }],
    ['checks', { checks: ['all'] }],
    ['checks', { checks: ['wrong_language'] }],
    ['language', { language: 'German' }],
    ['maxSteps', { maxSteps: 0 }],
    ['maxSteps', { maxSteps: 10_001 }],
    ['concurrency', { concurrency: 1.5 }],
    ['timeoutSeconds', { timeoutSeconds: 0 }],
    ['timeoutSeconds', { timeoutSeconds: 1.5 }],
    ['timeoutSeconds', { timeoutSeconds: 86_401 }],
    ['retries', { retries: 11 }],
    ['network', { network: 'api.openai.com' }],
    ['network', { network: ['https://api.openai.com'] }],
    ['network', { network: ['api.openai.com/v1'] }],
    ['input', { input: { type: 'object' } }],
    ['max_steps', { max_steps: 3 }],
  ])('refuses a wrong %s and names it: %j [declarations.agent-values]', (field, wrong) => {
    const options = { ...(field === 'name' ? {} : { name: 'a' }), ...wrong } as AgentOptions
    expect(() => agent(options)).toThrow(DecoratorValidationError)
    expect(() => agent(options)).toThrow(expect.objectContaining({ field, code: 'DecoratorValidationError' }))
  })

  it('refuses a class without run() and anything that is not a class', () => {
    expect(() => declared({ name: 'a' }, Echo as never)).toThrow(/class Echo needs a method run/)
    expect(() => agent({ name: 'a' })(Plain as never, { kind: 'method' } as never)).toThrow(
      DecoratorTargetError,
    )
    expect(() => agent({ name: 'a' })(Plain as never, undefined as never)).toThrow(/standard decorators/)
    const Once = declared({ name: 'a' }, class extends Plain {})
    expect(() => declared({ name: 'b' }, Once)).toThrow(DecoratorTargetError)
  })

  it('is not inherited: a subclass of an agent is not an agent', () => {
    const Base = declared({ name: 'a' }, class extends Plain {})
    class Child extends Base {}
    expect(() => declarationOf(Child)).toThrow(/class Child is not an agent/)
    expect(() => declarationOf('x')).toThrow(/a string is not an agent/)
  })

  it('works as a decorator on a class once esbuild has lowered it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-sdk-'))
    try {
      const source = join(folder, 'agent.ts')
      const outfile = join(folder, 'agent.mjs')
      await writeFile(
        source,
        `import { agent, declarationOf, type Context } from 'assay'
         function later(Agent: any, context: any) { Agent.seen = declarationOf(Agent).name }
         @later
         @agent({ name: 'Written out', retries: 2 })
         export default class Written { async run(ctx: Context, input: { n: number }) { return input.n } }`,
      )
      await build({
        entryPoints: [source],
        outfile,
        bundle: true,
        format: 'esm',
        target: 'es2022',
        alias: { assay: join(import.meta.dirname, 'index.ts') },
      })
      const { default: Written } = await import(pathToFileURL(outfile).href)
      expect(declarationOf(Written)).toEqual({ name: 'Written out', retries: 2 })
      expect(Written.seen).toBe('Written out')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
