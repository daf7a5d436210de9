import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { maskOf } from '../../shared/kernel/masking.ts'
import { type TempFolder, tempFolder } from '../../test/support/temp-folder.ts'
import { AgentConsole, PrintedLines } from './agent-console.ts'

let folder: TempFolder
let agentConsole: AgentConsole
let file: string
let at_ms = 0
beforeEach(async () => {
  folder = await tempFolder()
  file = join(folder.path, 'agents.log')
  agentConsole = new AgentConsole(file)
  at_ms = 5000
})
afterEach(() => folder.remove())

const process = () =>
  new PrintedLines(
    agentConsole,
    { agent: 'classify', deployment_id: 'd1', mask: maskOf({ KEY: 'sk-123456789' }) },
    () => at_ms,
  )
const written = async () => {
  await agentConsole.flush()
  return readFile(file, 'utf8')
}

it('lines are kept with their time and their agent, wherever chunks are cut', async () => {
  const printed = process()
  const bytes = Buffer.from('first\n\nsécond\nlast')
  for (const byte of bytes) printed.push(Buffer.from([byte]))
  printed.end()
  const lines = (await written()).trimEnd().split('\n')
  expect(lines.map(line => line.replace(/^\d{4}-\S+Z /, ''))).toEqual([
    'classify (d1): first',
    'classify (d1): sécond',
    'classify (d1): last',
  ])
})

it('secrets are not kept', async () => {
  process().push(Buffer.from('the key is sk-123456789\n'))
  expect(await written()).toContain('the key is [secret KEY]')
})

it('without a file, the log takes them [log.agent_printed]', () => {
  const write = vi.spyOn(globalThis.process.stdout, 'write').mockReturnValue(true)
  new AgentConsole(undefined).line({ agent: 'a', deployment_id: 'd1', mask: maskOf({}) }, 'hello')
  const [line] = write.mock.calls[0]!
  write.mockRestore()
  expect(JSON.parse(String(line))).toMatchObject({
    event: 'agent_printed',
    deployment_id: 'd1',
    text: 'hello',
  })
})

it('a process that prints without end is cut short, and how much was left out is said', async () => {
  const printed = process()
  printed.push(Buffer.from(`${'x'.repeat(100)}\n`.repeat(10_000)))
  at_ms += 1000
  printed.push(Buffer.from('after\n'))
  const text = await written()
  expect(text.length).toBeLessThan(2 * LIMITS.agent_log_bytes_per_second)
  expect(text).toMatch(/\(\d{4} lines were left out\)\n.*: after\n$/)
})

it('a line without an end takes bounded memory', async () => {
  const printed = process()
  for (let n = 0; n < 100; n++) printed.push(Buffer.alloc(100_000, 'x'))
  printed.end()
  expect((await written()).length).toBeLessThan(LIMITS.agent_log_line_characters + 100)
})

it('a file that is full is kept once beside a new one', async () => {
  const line = 'x'.repeat(LIMITS.agent_log_line_characters)
  const lines = Math.ceil(LIMITS.agent_log_file_bytes / line.length) + 2
  for (let n = 0; n < lines; n++) {
    agentConsole.line({ agent: 'a', deployment_id: 'd', mask: maskOf({}) }, line)
    if (n % 100 === 0) await agentConsole.flush()
  }
  await agentConsole.flush()
  expect((await stat(`${file}.1`)).size).toBeLessThanOrEqual(LIMITS.agent_log_file_bytes)
  expect((await stat(file)).size).toBeLessThan(LIMITS.agent_log_file_bytes / 2)
})
