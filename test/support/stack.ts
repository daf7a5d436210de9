// Assay as its own Node process, on a database and a Redis database of the test's own, and the command line against it.
// A test may kill the process and start it again at the same address.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { bootstrapAccount } from '../../shared/accounts/verbs/bootstrap.ts'
import { freePort } from './ports.ts'
import { testDatabase, testRedis } from './stores.ts'
import { tempFolder } from './temp-folder.ts'

export const CHECKOUT = join(import.meta.dirname, '../..')
const NODE = join(CHECKOUT, 'node_modules/.bin/node')
const MASTER_KEY = '5a'.repeat(32)

export interface Stack {
  base_url: string
  api_key: string
  /** The id of the process that serves, or that served last. */
  readonly pid: number
  /** Who can sign in, if the stack made the first account. */
  account?: { email: string; password: string }
  databaseUrl: string
  dataDir: string
  /** The environment that points the command line here. */
  env: Record<string, string>
  /** The lines of its log, over all its starts. */
  log: string[]
  kill(): Promise<void>
  /** Ends it with SIGTERM, as a service manager does. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export interface StackOptions {
  /** A database with an account and its key; by default an empty one, which gets a first account. */
  on?: { databaseUrl: string; api_key: string }
  masterKey?: string
  /** The checkout of another version, whose server is started; this one by default. */
  checkout?: string
  /** Further settings. */
  env?: Record<string, string>
}

export async function startStack({
  on,
  masterKey = MASTER_KEY,
  checkout = CHECKOUT,
  env = {},
}: StackOptions = {}): Promise<Stack> {
  const parts = new AsyncDisposableStack()
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  const databaseUrl = on?.databaseUrl ?? parts.adopt(await testDatabase(), store => store.drop()).url
  const redis = parts.adopt(await testRedis(), store => store.drop())
  const port = await freePort()
  const base_url = `http://127.0.0.1:${port}`
  const first = on ?? (await firstAccount(databaseUrl, redis.url, base_url))
  const { api_key } = first
  let server: ChildProcess | undefined
  const stop = async (signal: NodeJS.Signals) => {
    if (server?.exitCode === null && server.signalCode === null) {
      server.kill(signal)
      await once(server, 'exit')
    }
  }
  parts.defer(() => stop('SIGTERM'))
  const stack: Stack = {
    base_url,
    api_key,
    get pid() {
      return server?.pid ?? 0
    },
    ...('account' in first && { account: first.account }),
    databaseUrl,
    dataDir: folder.path,
    env: { ASSAY_BASE_URL: base_url, ASSAY_API_KEY: api_key },
    log: [],
    kill: () => stop('SIGKILL'),
    stop: () => stop('SIGTERM'),
    async start() {
      server = spawn(NODE, [join(checkout, 'infra/node/main.ts')], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          DATABASE_URL: databaseUrl,
          REDIS_URL: redis.url,
          BASE_URL: base_url, // Vite sets one of its own
          ASSAY_MASTER_KEY: masterKey,
          ASSAY_DATA_DIR: folder.path,
          ASSAY_ALLOW_NETWORKS: '127.0.0.0/8',
          HOST: '127.0.0.1',
          PORT: String(port),
          ...env,
        },
      })
      for (const stream of [server.stdout!, server.stderr!])
        createInterface(stream).on('line', line => stack.log.push(line))
      await isReady(server, stack.log)
    },
    close: () => parts.disposeAsync(),
  }
  await stack.start()
  return stack
}

function isReady(server: ChildProcess, log: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    createInterface(server.stdout!).on('line', line => line.includes('"event":"ready"') && resolve())
    server.once('exit', () => reject(new Error(`the stack ended before it was ready:\n${log.join('\n')}`)))
  })
}

/** The first account of an empty installation. */
export async function firstAccount(databaseUrl: string, redisUrl: string, base_url: string) {
  const connections = openConnections({ databaseUrl, redisUrl })
  try {
    const ctx = createContext({ connections, config: { base_url, master_key: MASTER_KEY } })
    return await bootstrapAccount(ctx)
  } finally {
    await connections.close()
  }
}

export interface Ran {
  code: number | null
  out: string
  err: string
  /** The lines of JSON on standard output. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks at differs from event to event.
  events: any[]
}

export interface Running {
  child: ChildProcess
  /** The first line of standard output that holds this event. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  seen(event: string): Promise<any>
  /** Resolves once standard error matches. */
  warned(pattern: RegExp): Promise<void>
  done: Promise<Ran>
}

/** Runs the command as installed: the file itself, by its first line, with the packaged Node first on PATH. */
export function assay(
  stack: Pick<Stack, 'env'>,
  args: string[],
  options: { terminal?: number; input?: string } = {},
): Running {
  const main = join(CHECKOUT, 'shared/cli/main.ts')
  const [file, argv] =
    options.terminal === undefined
      ? [main, args]
      : [
          'script',
          ['-qec', `stty cols ${options.terminal}; ${[main, ...args].map(quoted).join(' ')}`, '/dev/null'],
        ]
  const { NO_COLOR: _, npm_command: __, ...env } = process.env
  const child = spawn(file, argv, {
    cwd: CHECKOUT,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: { ...env, ...stack.env, PATH: `${join(CHECKOUT, 'node_modules/.bin')}:${env.PATH}` },
  })
  child.stdin?.end(options.input)
  let out = ''
  let err = ''
  const looks = new Set<() => void>()
  const changed = () => {
    for (const look of looks) look()
  }
  child.stdout!.on('data', chunk => {
    out += chunk
    changed()
  })
  child.stderr!.on('data', chunk => {
    err += chunk
    changed()
  })
  const events = () =>
    out
      .split('\n')
      .slice(0, -1)
      .flatMap(line => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const done = once(child, 'close').then(([code]) => ({ code, out, err, events: events() }))
  const until = <T>(find: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const look = () => {
        const found = find()
        if (found === undefined) return
        looks.delete(look)
        resolve(found)
      }
      looks.add(look)
      look()
      void done.then(ran => reject(new Error(`it ended with ${ran.code} first:\n${ran.out}\n${ran.err}`)))
    })
  return {
    child,
    seen: event => until(() => events().find(line => line.event === event)),
    warned: async pattern => {
      await until(() => (pattern.test(err) ? true : undefined))
    },
    done,
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
