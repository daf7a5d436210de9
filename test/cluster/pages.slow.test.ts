// Each page is followed: its commands are run in their order by a shell, and what needs a cluster is played with the
// files that the commands before it have made. At the end a batch has gone through it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { freePort } from '../support/doubles/process.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { emptyDatabase, testRedis } from '../support/stores.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type Block, blocksOf, type Page } from './page.ts'
import { makeImage, type Platform, type Played, playInstallation, playJob } from './played.ts'

const ROOT = join(import.meta.dirname, '../..')
const CHECKOUT = [
  'drizzle',
  'examples',
  'functions',
  'infra',
  'node_modules',
  'package.json',
  'shared',
  'tsconfig.json',
]
const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

/** A folder that a reader would have cloned into, and a shell in it whose exports last from block to block. */
async function startShell() {
  const { path, remove } = await tempFolder()
  parts.defer(remove)
  for (const name of CHECKOUT) await symlink(join(ROOT, name), join(path, name))
  await writeFile(join(path, 'exports'), '')
  let log = ''
  async function run(commands: string): Promise<void> {
    const output = await open(join(path, 'output'), 'w')
    const script = `set -euo pipefail\n. ./exports\n${commands}\nexport -p > exports\n`
    const child = spawn('bash', ['-c', script], { cwd: path, stdio: ['ignore', output.fd, output.fd] })
    const [code] = await once(child, 'exit')
    await output.close()
    const said = await readFile(join(path, 'output'), 'utf8')
    log += `$ ${commands}\n${said}\n`
    if (code !== 0) throw new Error(`this ended with ${code}:\n${commands}\n${said}`)
  }
  return { path, run, log: () => log, read: (name: string) => readFileSync(join(path, name), 'utf8') }
}
type Shell = Awaited<ReturnType<typeof startShell>>

/** The page's own names, but for those of this machine. */
async function runNames(shell: Shell, block: Block, own: Record<string, string>): Promise<void> {
  const named = [...block.commands.matchAll(/^export (\w+)=/gm)].map(([, name]) => name!)
  expect(Object.keys(own).filter(name => !named.includes(name))).toEqual([])
  await shell.run(`${block.commands}\n${exportsOf(own)}`)
}
const exportsOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `export ${name}='${value}'`)
    .join('\n')

async function stores() {
  const [database, redis] = await Promise.all([emptyDatabase(), testRedis()])
  parts.defer(async () => void (await Promise.all([database.drop(), redis.drop()])))
  return { database: database.url, redis: redis.url }
}

async function follow(page: Platform): Promise<{ url: string; key: string }> {
  const [shell, { database, redis }, image] = await Promise.all([startShell(), stores(), makeImage()])
  parts.defer(() => image.remove())
  const pooler = hasPgBouncer
    ? parts.adopt(await startPgBouncer(database, 20), one => one.close())
    : undefined
  const own = {
    BASE_URL: 'https://assay.test',
    DATABASE_MIGRATE_URL: database,
    DATABASE_URL: pooler?.through(database) ?? database,
    REDIS_URL: redis,
  }
  const played: Played = {
    image,
    read: name => shell.read(`dist/${page}/${name}`),
    get secrets() {
      const lines = shell.read('secrets.env').trim().split('\n')
      return Object.fromEntries(lines.map(line => line.split(/=(.*)/s).slice(0, 2)))
    },
  }
  let url = ''
  let key = ''
  const steps: Record<string, () => unknown> = {
    migrate: () => playJob(played, 'migrate'),
    account: () => {
      const { account, api_key } = JSON.parse(playJob(played, 'first-account'))
      expect(account.email).toBe('operator@example.com')
      key = api_key
    },
    async deploy() {
      url = parts.adopt(await playInstallation(page, played), one => one.close()).url
    },
  }
  for (const block of blocksOf(page)) {
    if (block.kind === '') await shell.run(block.commands)
    else if (block.kind === 'names') await runNames(shell, block, own)
    else if (block.kind === 'account') await shell.run(exportsOf({ ASSAY_BASE_URL: url, ASSAY_API_KEY: key }))
    else if (block.kind === 'cluster') await steps[block.step]?.()
  }
  return { url, key }
}

const WORKED = { status: 'completed', worst_outcome_status: 'ok', total_items: 3, completed: 3 }

async function runsAt(url: string, key: string) {
  const answer = await fetch(`${url}/v2/runs`, { headers: { authorization: `Bearer ${key}` } })
  const runs = (await answer.json()) as (typeof WORKED)[]
  return runs.map(({ status, worst_outcome_status, total_items, completed }) => ({
    status,
    worst_outcome_status,
    total_items,
    completed,
  }))
}

it.each<Platform>(['openfaas', 'knative'])(
  'the page of %s leads from nothing to a batch that worked',
  async page => {
    const { url, key } = await follow(page)
    expect(await runsAt(url, key)).toEqual([WORKED])
  },
  600_000,
)

it('the page of workerd leads from nothing to a batch that worked', async () => {
  const page: Page = 'workerd'
  const [shell, { database, redis }, port, metrics] = await Promise.all([
    startShell(),
    stores(),
    freePort(),
    freePort(),
  ])
  await mkdir(join(shell.path, 'dist'), { recursive: true })
  parts.defer(() => shell.run('kill $(cat dist/workerd.pid dist/consumer.pid)').catch(() => {}))
  const own = {
    BASE_URL: 'https://assay.test',
    DATABASE_URL: database,
    REDIS_URL: redis,
    LISTEN: `127.0.0.1:${port}`,
    LISTEN_METRICS: `127.0.0.1:${metrics}`,
  }
  for (const block of blocksOf(page)) {
    if (block.kind === '') await shell.run(block.commands)
    else if (block.kind === 'names') await runNames(shell, block, own)
  }
  const { api_key } = JSON.parse(shell.read('first-account.json'))
  expect(await runsAt(`http://${own.LISTEN}`, api_key)).toEqual([WORKED])
  expect(shell.log()).toContain('assay_items_waiting')
}, 600_000)
