// infra/wrangler.md as its reader follows it: every block that it has for one machine, on ports and a data folder of the
// test. Wrangler itself serves all of Assay, and a batch runs to its end.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { tempFolder } from '../support/temp-folder.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const PATIENCE_MS = 240_000
const run = promisify(execFile)

/** The blocks of the page, without the installation, which is that of the checkout. */
const page = readFileSync(join(CHECKOUT, 'infra/wrangler.md'), 'utf8')
const blocks = [...page.matchAll(/```sh( terminal)?\n(.*?)```/gs)]
  .map(([, kind, text]) => ({ isTerminal: kind !== undefined, text: text! }))
  .filter(({ text }) => !text.startsWith('npm ci\n'))

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync(), 60_000)

let folder: string
let port: number
let env: NodeJS.ProcessEnv

/** A checkout of its own, as far as this writes: links, beside a wrangler.toml with the test's port and output. */
beforeAll(async () => {
  const temp = await tempFolder()
  parts.defer(() => temp.remove())
  folder = temp.path
  const [ownPort, stackPort] = [await freePort(), await freePort()]
  port = ownPort
  const written = ['.git', '.assay', '.dev.vars', '.wrangler', 'dist', 'wrangler.toml']
  for (const name of readdirSync(CHECKOUT))
    if (!written.includes(name)) await symlink(join(CHECKOUT, name), join(folder, name))
  const toml = await readFile(join(CHECKOUT, 'wrangler.toml'), 'utf8')
  const built = toml.replace('--packaging all"', `--packaging all --out ${join(folder, 'dist/workerd')}"`)
  await writeFile(join(folder, 'wrangler.toml'), `${built}\n[dev]\nport = ${port}\n`)
  env = {
    ...process.env,
    PORT: String(stackPort),
    ASSAY_DATA_DIR: join(folder, 'data'),
    DATABASE_URL: '',
    REDIS_URL: '',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_LOG_PATH: join(folder, 'logs'),
    NO_COLOR: '1',
  }
})

const ofTest = (text: string) =>
  text.replaceAll('8787', String(port)).replace('dev-vars.ts', `dev-vars.ts --port ${port}`)

/** Runs a command in the background until the file is done, and resolves once it has printed `until`. */
async function terminal(text: string, until: string): Promise<{ printed(): string }> {
  const child = spawn('bash', ['-c', text], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (printed += chunk))
  parts.defer(() => interrupt(child))
  await eventually(() => {
    expect(child.exitCode, printed).toBeNull()
    expect(printed).toContain(until)
  })
  return { printed: () => printed }
}

/** As Ctrl-C does, which reaches all processes of the terminal. */
async function interrupt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  process.kill(-child.pid!, 'SIGINT')
  await ended
}

const here = (text: string) => run('bash', ['-euo', 'pipefail', '-c', ofTest(text)], { cwd: folder, env })

it('wrangler dev serves all of Assay by its page: stores, settings, a batch with its results, and the cron', {
  timeout: PATIENCE_MS,
}, async () => {
  expect(blocks.map(block => block.isTerminal)).toEqual([true, false, true, false, false])
  const [stack, settings, wrangler, batch, cron] = blocks.map(block => block.text)
  await terminal(stack!, '\nready http')
  await here(settings!)
  expect((await stat(join(folder, '.dev.vars'))).mode & 0o777).toBe(0o600)
  const worker = await terminal(wrangler!, `Ready on http://localhost:${port}`)
  const ready = await fetch(`http://127.0.0.1:${port}/health/ready`)
  expect(await ready.json()).toMatchObject({ status: 'ready' })

  const { stdout } = await here(batch!)
  expect(stdout).toMatch(/"event":"ended".*"status":"completed","worst_outcome_status":"ok"/)
  const { api_key } = JSON.parse(await readFile(join(folder, 'data/local.json'), 'utf8'))
  const headers = { authorization: `Bearer ${api_key}` }
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json()
  const [batchRun] = await get('/v2/runs')
  expect(await get(`/v2/runs/${batchRun.id}/items`)).toHaveLength(batchRun.total_items)

  expect((await here(cron!)).stdout).toBe('Ran scheduled eventok')
  await eventually(() => expect(worker.printed().match(/"event":"tick"/g)).toHaveLength(2))
  // Neither requests nor ticks count as errors there.
  expect(worker.printed()).not.toMatch(/ERROR/)
})
