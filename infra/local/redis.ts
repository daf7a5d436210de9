// Runs our own Redis (or Valkey) in the data folder, on loopback. Its data can be rebuilt from PostgreSQL, so an
// unreadable file of it is moved aside instead of stopping the start.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { connect } from 'node:net'
import { delimiter, isAbsolute, join } from 'node:path'
import { readJson, writeJson, writePrivately } from './data-folder.ts'
import { ExitError } from './exit-error.ts'
import { asStore, launch, type Store } from './store.ts'
import { canReach, ownerOf } from './system-user.ts'

/** What `redis.json` in the data folder records about its Redis. */
interface Remembered {
  password: string
  port?: number
}

export interface RedisOptions {
  /** The caller holds this folder's lock. */
  dataDir: string
  say?: (line: string) => void
}

const fileIn = (dataDir: string) => join(dataDir, 'redis.json')
const urlOf = ({ password, port }: Remembered) => `redis://:${password}@127.0.0.1:${port}`

/** The URL of the Redis of a data folder while it runs; undefined if none was started there. */
export async function redisUrlIn(dataDir: string): Promise<string | undefined> {
  const known = await readJson<Remembered>(fileIn(dataDir))
  return known?.port === undefined ? undefined : urlOf(known)
}

export async function startRedis({ dataDir, say = () => {} }: RedisOptions): Promise<Store> {
  const program = onPath('redis-server') ?? onPath('valkey-server') ?? installed(say)
  const file = fileIn(dataDir)
  const remembered = (await readJson<Remembered>(file)) ?? { password: randomBytes(24).toString('hex') }
  await writeJson(file, remembered)
  const folder = join(dataDir, 'redis')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const configuration = join(folder, 'redis.conf')

  const { child, port } = await launch({
    name: 'Redis',
    folder,
    program: /^(redis|valkey)/,
    pidFile: join(folder, 'redis.pid'),
    port: remembered.port,
    child: {
      cwd: folder,
      log: join(dataDir, 'redis.log'),
      endSignal: 'SIGTERM',
      owner: await ownerOf(folder),
    },
    async prepare(port) {
      await writePrivately(configuration, settings(port, folder, remembered.password))
      return [program, [configuration]]
    },
    ready: (_, port) => answers(port, remembered.password),
    async recover(output) {
      const aside = join(folder, `appendonlydir.unreadable-${Date.now()}`)
      if (!/append only file|AOF/i.test(output) || !existsSync(join(folder, 'appendonlydir'))) return false
      await rename(join(folder, 'appendonlydir'), aside)
      say(`Redis could not read its file and starts empty; the file is kept in ${aside}`)
      return true
    },
  })
  remembered.port = port
  await writeJson(file, remembered)
  return asStore(urlOf(remembered), port, child)
}

// `set-proc-title no` keeps the configuration's path in the command line, which identifies the process as ours.
function settings(port: number, folder: string, password: string): string {
  return `# Written anew at every start.
bind 127.0.0.1
port ${port}
requirepass ${password}
dir ${JSON.stringify(folder)}
pidfile ${JSON.stringify(join(folder, 'redis.pid'))}
daemonize no
set-proc-title no
logfile ""
databases 64
save ""
appendonly yes
appendfsync everysec
maxmemory-policy noeviction
`
}

/** Whether it accepts the password and has loaded its file. */
function answers(port: number, password: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
    let text = ''
    const end = (ready: boolean) => {
      socket.destroy()
      resolve(ready)
    }
    socket.setTimeout(1000, () => end(false))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
    socket.on('data', chunk => {
      text += chunk
      // On a full disk even a ping is refused.
      if (/\+PONG|-MISCONF/.test(text)) end(true)
      else if (text.includes('-')) end(false)
    })
    socket.write(`AUTH ${password}\r\nPING\r\n`)
  })
}

function onPath(name: string): string | undefined {
  const folders = `${process.env.PATH ?? ''}${delimiter}/usr/local/bin${delimiter}/opt/homebrew/bin`.split(
    delimiter,
  )
  // A relative entry would be the folder that this was called in.
  return folders
    .filter(folder => isAbsolute(folder))
    .map(folder => join(folder, name))
    .find(path => canReach(undefined, path))
}

function installed(say: (line: string) => void): string {
  if (process.getuid?.() === 0 && onPath('apt-get') !== undefined) {
    say('installing Redis with apt-get, as there is no redis-server or valkey-server here')
    apt('update')
    apt('install', '--yes', '--no-install-recommends', 'redis-server')
    // The package starts a system-wide Redis; this stack runs its own.
    if (existsSync('/run/systemd/system')) {
      spawnSync('systemctl', ['disable', '--now', 'redis-server'], { stdio: 'ignore' })
    }
    const program = onPath('redis-server')
    if (program !== undefined) return program
  }
  throw new ExitError(
    'no_redis',
    'Redis is needed and there is none here. Either install it (redis-server or valkey-server on PATH; "apt-get install redis-server", "brew install redis"), or set REDIS_URL to one that runs.',
  )
}

function apt(...args: string[]): void {
  // Another start may be installing at the same time.
  const wait = ['-qq', '-o', 'DPkg::Lock::Timeout=300']
  const done = spawnSync('apt-get', [...wait, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
  })
  if (done.status !== 0) console.error(done.stderr.trim())
}
