// Each page is followed: a shell runs its commands in their order, and what needs a cluster is played with the files
// that the commands before it made. At the end a batch has run on it.

import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { poolerSecrets } from '../../infra/pooler-secrets.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { freePort } from '../support/ports.ts'
import { durableDatabase, testRedis } from '../support/stores.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type Block, blocksOf, namesOf, type Page } from './page.ts'
import {
  type Image,
  makeImage,
  type openNamespace,
  type Platform,
  type Played,
  playInstallation,
  playJob,
} from './played.ts'
import { exportsOf, startShell } from './shell.ts'

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
let image: Image
beforeAll(async () => {
  image = parts.adopt(await makeImage(), one => one.remove())
})

/** A folder that a reader would have cloned into, and a shell in it. */
async function startReader() {
  const { path, remove } = await tempFolder()
  parts.defer(remove)
  for (const name of CHECKOUT) await symlink(join(ROOT, name), join(path, name))
  const shell = parts.adopt(await startShell(path, path), one => one.close())
  let printed = ''
  return {
    path,
    async run(commands: string) {
      printed += await shell.run(commands)
    },
    printed: () => printed,
    read: (name: string) => readFileSync(join(path, name), 'utf8'),
  }
}
type Reader = Awaited<ReturnType<typeof startReader>>

/** Runs the page's own names, except those of this machine. */
async function runNames(reader: Reader, block: Block, own: Record<string, string>): Promise<void> {
  const named = namesOf([block]).map(({ name }) => name)
  expect(Object.keys(own).filter(name => !named.includes(name))).toEqual([])
  await reader.run(`${block.commands}\n${exportsOf(own)}`)
}

/** Repeats the step that makes secrets: those that exist stay. */
async function repeatSecrets(reader: Reader, page: Page, file: string): Promise<void> {
  const before = reader.read(file)
  const step = blocksOf(page).find(({ commands }) => commands.includes('openssl rand'))!
  await reader.run(step.commands)
  expect(reader.read(file)).toBe(before)
}

async function stores() {
  const [database, redis] = await Promise.all([durableDatabase(), testRedis()])
  parts.defer(async () => void (await Promise.all([database.drop(), redis.drop()])))
  return { database: database.url, redis: redis.url }
}

interface Beside {
  namespace: Awaited<ReturnType<typeof openNamespace>>
  redis: string
  installation?: string
}

async function follow(
  page: Platform,
  beside?: Beside,
): Promise<{ url: string; key: string; reader: Reader }> {
  const { database, redis } = { ...(await stores()), ...beside }
  const reader = await startReader()
  const pooler = hasPgBouncer
    ? parts.adopt(await startPgBouncer(database, 20), one => one.close())
    : undefined
  const own = {
    BASE_URL: 'https://assay.test',
    DATABASE_MIGRATE_URL: database,
    DATABASE_URL: pooler?.through(database) ?? database,
    REDIS_URL: redis,
    ...(beside?.installation && { INSTALLATION: beside.installation }),
  }
  const played: Played = {
    image,
    installation: beside?.installation,
    read: name => reader.read(`dist/${page}/${name}`),
    get secrets() {
      const lines = reader.read('secrets.env').trim().split('\n')
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
      url = parts.adopt(await playInstallation(page, played, beside?.namespace), one => one.close()).url
    },
  }
  for (const block of blocksOf(page)) {
    if (block.kind === '') await reader.run(block.commands)
    else if (block.kind === 'names') await runNames(reader, block, own)
    else if (block.kind === 'account')
      await reader.run(exportsOf({ ASSAY_BASE_URL: url, ASSAY_API_KEY: key }))
    else if (block.kind === 'cluster') await steps[block.step]?.()
  }
  expect(played.secrets).toMatchObject(poolerSecrets(database))
  await repeatSecrets(reader, page, 'secrets.env')
  return { url, key, reader }
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
  const [{ database, redis }, port, metrics] = await Promise.all([stores(), freePort(), freePort()])
  const reader = await startReader()
  const own = {
    BASE_URL: 'https://assay.test',
    DATABASE_URL: database,
    REDIS_URL: redis,
    LISTEN: `127.0.0.1:${port}`,
    LISTEN_METRICS: `127.0.0.1:${metrics}`,
  }
  for (const block of blocksOf(page)) {
    if (block.kind === '') await reader.run(block.commands)
    else if (block.kind === 'names') await runNames(reader, block, own)
  }
  const { api_key } = JSON.parse(reader.read('first-account.json'))
  expect(await runsAt(`http://${own.LISTEN}`, api_key)).toEqual([WORKED])
  expect(reader.printed()).toContain('assay_items_waiting')
  await repeatSecrets(reader, page, 'workerd.env')
}, 600_000)
