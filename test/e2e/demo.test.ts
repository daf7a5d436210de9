// The sample of a first start: what a new user sees, and what later starts find of it.

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type Demo, openDemo } from '../../infra/local/demo.ts'
import { assay, CHECKOUT, type Stack, startStack } from '../support/stack.ts'
import { assayInTerminal, noTerminal } from '../support/terminal.ts'

let stack: Stack
const demos: Demo[] = []
beforeAll(async () => {
  stack = await startStack()
})
afterEach(async () => {
  for (const demo of demos.splice(0)) await demo.close()
})
afterAll(() => stack?.close())

const said: string[] = []
async function opened(): Promise<Demo> {
  const demo = await openDemo(stack.dataDir, line => said.push(line))
  demos.push(demo)
  return demo
}

async function shown(demo: Demo, signal: AbortSignal, env = {}): Promise<string> {
  let text = ''
  const out = {
    write: (piece: string) => {
      text += piece
    },
    columns: 120,
  }
  await demo.run({ base_url: stack.base_url, api_key: stack.api_key, out, env, signal })
  return text
}

const state = async () => JSON.parse(await readFile(join(stack.dataDir, 'demo.json'), 'utf8'))
const never = new AbortController().signal

it('the sample deploys the example, runs it and shows what needs a decision', async () => {
  const first = await opened()
  expect(first.unfinished).toBe(false)
  // Stopped before it could watch: the run continues, and the next start watches it.
  await shown(first, AbortSignal.abort())
  await first.close()
  expect(await state()).toMatchObject({ done: false })

  const second = await opened()
  expect(second.unfinished).toBe(true)
  const text = await shown(second, never)
  expect(text).toMatch(
    /^ran: \d+ of 61 \(\d held\) · worked: \d+ ok, \d+ degraded, \d+ failed · \d+ to decide$/m,
  )
  expect(text).toMatch(/^cost +\$0\.00\d+ · [\d,]+ tokens in/m)
  expect(text).toMatch(/^NEEDS A DECISION +RAN +WORKED +WHY$/m)
  expect(text).toMatch(/^T-\d+ +paused +– +reported fraud/m)
  expect(text).toMatch(/^T-\d+ +completed +degraded +refusal: The last model call \(classify\) is a refusal/m)
  expect(await state()).toMatchObject({ done: true })
  const { events } = await assay(stack, ['runs']).done
  expect(events).toMatchObject([{ agent_slug: 'ticket-triage', name: 'sample', total_items: 61 }])

  // The commands that it prints work as they are.
  const command = /assay (verify \S+)$/m.exec(text)![1]!
  expect(await assay(stack, command.split(' ')).done).toMatchObject({ code: 0, events: [{ balanced: true }] })
  await second.close()
})

it.skipIf(noTerminal)('the README shows what two commands print of the sample', async () => {
  const readme = await readFile(join(CHECKOUT, 'README.md'), 'utf8')
  const [, watched, caused] =
    /^```\n\$ npx --no assay watch .*\n([\s\S]*?)\n\n\$ npx --no assay causes .*\n([\s\S]*?)\n```/m.exec(
      readme,
    )!
  const { events } = await assay(stack, ['runs']).done
  const screenOf = async (columns: number, ...args: string[]) => {
    await using parts = new AsyncDisposableStack()
    const terminal = await assayInTerminal(stack, args, { columns, rows: 40 })
    parts.defer(() => terminal.close())
    expect(await terminal.ended).toBeLessThan(20)
    return plain(terminal.lines().join('\n')).trim().split('\n')
  }
  // The first line is the progress, which stays.
  const lines = plain(watched!).split('\n')
  expect((await screenOf(120, 'watch', events[0].id)).slice(-lines.length)).toEqual(lines)
  // Causes with as many items come in no order.
  expect((await screenOf(100, 'causes', '--run', events[0].id)).sort()).toEqual(
    plain(caused!).split('\n').sort(),
  )
})

/** Without what differs from one installation to another. */
const plain = (text: string) =>
  text
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'RUN')
    .replaceAll(/cause_[0-9a-f]{12}/g, 'CAUSE')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'DATE')
    .replaceAll('npx --no assay', 'assay')

it('the sample restarts the model server on the port that the deployed agent calls', async () => {
  const { model_port } = await state()
  // No ephemeral port: another process could get it between two starts.
  expect(model_port).toBeLessThan(32_768)
  const later = await opened()
  expect(later.unfinished).toBe(false)
  const models = await fetch(`http://127.0.0.1:${model_port}/v1/models`)
  expect(models.status).toBe(200)
  const ran = await assay(stack, [
    'run',
    'ticket-triage',
    '--input',
    '{"text":"Where is my card?"}',
    '--watch',
  ]).done
  expect(ran.events.at(-1)).toMatchObject({ status: 'completed', output: { category: expect.any(String) } })
  await later.close()

  const stranger = createServer().listen(model_port, '127.0.0.1')
  await once(stranger, 'listening')
  await opened()
  expect(said.at(-1)).toContain(`cannot have port ${model_port}`)
  stranger.close()
})

it("the sample uses the provider of the user's environment instead", async () => {
  const demo = await opened()
  const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_MODEL: 'my-model' }
  const text = await shown(demo, AbortSignal.abort(), env)
  expect(text).toContain('the sample calls my-model at http://127.0.0.1:9/v1')
  expect(text).toContain('version 2')
})
