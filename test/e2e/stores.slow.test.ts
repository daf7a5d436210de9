// The stores of a local stack never outlive it and lose nothing, whatever is killed and in whatever order.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { killAll, type TempFolder, tempFolder } from '../support/temp-folder.ts'

const linux = process.platform === 'linux'
const root = process.getuid?.() === 0
const NODE = join(import.meta.dirname, '../../node_modules/.bin/node')
const ENTRY = join(import.meta.dirname, '../support/stores-process.ts')

interface Running {
  child: ChildProcess
  databaseUrl: string
  redisUrl: string
  said: string[]
}

let parts = new AsyncDisposableStack()
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
})

async function folder(): Promise<TempFolder> {
  const made = await tempFolder()
  parts.defer(async () => {
    await gone(made.path)
    await made.remove()
  })
  return made
}

async function start(dataDir: string): Promise<Running> {
  const child = spawn(NODE, [ENTRY, dataDir], { stdio: ['ignore', 'pipe', 'pipe'] })
  parts.defer(() => end(child, 'SIGTERM'))
  let errors = ''
  child.stderr?.on('data', chunk => {
    errors += chunk
  })
  const said: string[] = []
  const lines = createInterface(child.stdout!)
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(errors)))
    lines.on('line', line => {
      const message = JSON.parse(line)
      if (message.said) said.push(message.said)
      else resolve({ child, said, ...message })
    })
  })
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

/** The processes whose working directory lies in the data folder. */
async function storesIn(dataDir: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const cwds = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.filter((_, index) => cwds[index]!.startsWith(dataDir)).map(Number)
}

async function gone(dataDir: string): Promise<void> {
  if (linux) await eventually(async () => expect(await storesIn(dataDir)).toEqual([]))
}

async function write(stores: Running, name: string): Promise<void> {
  const sql = postgres(stores.databaseUrl, { max: 1 })
  await sql`insert into accounts (id, name) values (gen_random_uuid(), ${name})`
  await sql.end()
  const redis = new Redis(stores.redisUrl)
  await redis.set('name', name)
  redis.disconnect()
}

async function read(stores: Running): Promise<{ postgres: string[]; redis: string | null }> {
  const sql = postgres(stores.databaseUrl, { max: 1 })
  const rows = await sql`select name from accounts`
  await sql.end()
  const redis = new Redis(stores.redisUrl)
  const name = await redis.get('name')
  redis.disconnect()
  return { postgres: rows.map(row => row.name), redis: name }
}

const both = (name: string) => ({ postgres: [name], redis: name })
const pidOf = async (dataDir: string, file: string) =>
  Number.parseInt(await readFile(join(dataDir, file), 'utf8'), 10)

test('stopping leaves no process, and starting again finds the data at the same addresses', async () => {
  const { path } = await folder()
  const first = await start(path)
  await write(first, 'kept')
  await end(first.child, 'SIGTERM')
  if (linux) expect(await storesIn(path)).toEqual([])
  const second = await start(path)
  expect(await read(second)).toEqual(both('kept'))
  expect(second.databaseUrl).toBe(first.databaseUrl)
  expect(second.redisUrl).toBe(first.redisUrl)
})

test.runIf(linux)('when the parent is killed the stores end by themselves', async () => {
  const { path } = await folder()
  const first = await start(path)
  await write(first, 'kept')
  await end(first.child, 'SIGKILL')
  await gone(path)
  expect(await read(await start(path))).toEqual(both('kept'))
})

test.runIf(linux)('after kill -9 of everything at once a start finds the data', async () => {
  const { path } = await folder()
  const first = await start(path)
  await write(first, 'kept')
  killAll([first.child.pid!, ...(await storesIn(path))])
  expect(await read(await start(path))).toEqual(both('kept'))
})

test.runIf(linux)(
  'a PostgreSQL and a Redis that outlived their parent are ended and the data is found',
  async () => {
    const { path } = await folder()
    const first = await start(path)
    await write(first, 'kept')
    const stores = [await pidOf(path, 'postgres/postmaster.pid'), await pidOf(path, 'redis/redis.pid')]
    // While stopped, they cannot act on the signal that their parent's death sends them.
    for (const pid of stores) process.kill(pid, 'SIGSTOP')
    await end(first.child, 'SIGKILL')
    expect((await storesIn(path)).filter(pid => stores.includes(pid))).toEqual(stores.sort((a, b) => a - b))
    const starting = start(path)
    for (const pid of stores) process.kill(pid, 'SIGCONT')
    expect(await read(await starting)).toEqual(both('kept'))
  },
)

test('a pid file that names an unrelated process neither stops a start nor harms that process', async () => {
  const { path } = await folder()
  const first = await start(path)
  await write(first, 'kept')
  await end(first.child, 'SIGTERM')
  const stranger = spawn('sleep', ['600'], { cwd: path })
  parts.defer(() => end(stranger, 'SIGKILL'))
  for (const file of ['postgres/postmaster.pid', 'redis/redis.pid']) {
    await writeFile(join(path, file), `${stranger.pid}\n${path}/postgres\n`)
  }
  expect(await read(await start(path))).toEqual(both('kept'))
  expect(stranger.exitCode).toBeNull()
  expect(stranger.signalCode).toBeNull()
})

test('a store whose port was taken meanwhile gets another port', async () => {
  const { path } = await folder()
  const first = await start(path)
  await write(first, 'kept')
  await end(first.child, 'SIGTERM')
  for (const url of [first.databaseUrl, first.redisUrl]) {
    const taker = createServer().listen(Number(new URL(url).port), '127.0.0.1')
    await once(taker, 'listening')
    parts.defer(() => void taker.close())
  }
  const second = await start(path)
  expect(new URL(second.databaseUrl).port).not.toBe(new URL(first.databaseUrl).port)
  expect(new URL(second.redisUrl).port).not.toBe(new URL(first.redisUrl).port)
  expect(await read(second)).toEqual(both('kept'))
})

test('two stacks run side by side, each with its own data', async () => {
  const folders = [await folder(), await folder()]
  const [one, other] = await Promise.all(folders.map(({ path }) => start(path)))
  await write(one!, 'one')
  await write(other!, 'other')
  expect(await read(one!)).toEqual(both('one'))
  expect(await read(other!)).toEqual(both('other'))
})

test('a second start on the same folder says so and leaves the first alone', async () => {
  const { path } = await folder()
  const first = await start(path)
  await expect(start(path)).rejects.toThrow(/^data_folder_in_use: another start is using the data folder/)
  await write(first, 'kept')
  expect(await read(first)).toEqual(both('kept'))
})

test.runIf(linux)(
  'a store that is killed under a running stack comes back by itself with its data',
  async () => {
    const { path } = await folder()
    const stack = await start(path)
    await write(stack, 'kept')
    process.kill(await pidOf(path, 'postgres/postmaster.pid'), 'SIGKILL')
    process.kill(await pidOf(path, 'redis/redis.pid'), 'SIGKILL')
    await eventually(() =>
      expect(stack.said.filter(line => line.includes('starting it again'))).toHaveLength(2),
    )
    await eventually(async () => expect(await read(stack)).toEqual(both('kept')))
  },
)

test('a Redis file that cannot be read is put aside, and PostgreSQL still has everything', async () => {
  const { path } = await folder()
  const first = await start(path)
  await write(first, 'kept')
  await end(first.child, 'SIGTERM')
  const files = await readdir(join(path, 'redis/appendonlydir'))
  const increments = files.find(name => name.endsWith('.incr.aof'))!
  await appendFile(join(path, 'redis/appendonlydir', increments), '*not what Redis writes\r\n'.repeat(10))
  const second = await start(path)
  expect(second.said.join()).toMatch(/Redis could not read its file and starts empty/)
  expect(await read(second)).toEqual({ postgres: ['kept'], redis: null })
})

test('secrets in the data folder are readable by their owner only', async () => {
  const { path } = await folder()
  await start(path)
  for (const file of ['postgres.json', 'redis.json', 'redis/redis.conf']) {
    expect((await stat(join(path, file))).mode & 0o077, file).toBe(0)
  }
})

test.runIf(linux && root)(
  'root with a closed data folder gets its database elsewhere, and finds it again',
  async () => {
    const { path } = await folder()
    const closed = join(path, 'closed')
    await mkdir(join(closed, 'data'), { recursive: true })
    await chmod(closed, 0o700)
    const dataDir = join(closed, 'data')
    const first = await start(dataDir)
    const { elsewhere } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
    parts.defer(async () => {
      await gone(elsewhere)
      await rm(elsewhere, { recursive: true })
    })
    expect(elsewhere).toMatch(/^\/var\/lib\/assay\/data-/)
    expect(first.said.join()).toContain(elsewhere)
    expect((await stat(closed)).mode & 0o777).toBe(0o700)
    await write(first, 'kept')
    await end(first.child, 'SIGTERM')
    expect(await read(await start(dataDir))).toEqual(both('kept'))
  },
)

test.runIf(linux && root)('started by root, PostgreSQL runs as a user of its own', async () => {
  const { path } = await folder()
  await start(path)
  const pid = await pidOf(path, 'postgres/postmaster.pid')
  const owner = spawnSync('stat', ['-c', '%u', `/proc/${pid}`], { encoding: 'utf8' }).stdout.trim()
  expect(Number(owner)).toBeGreaterThan(0)
})
