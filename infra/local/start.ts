// Starts all of Assay on one machine, in the order its parts need each other, and stops it in reverse within STOP_MS.
// Guarantee: nothing it started is left behind, and the next start finds all data.

import '../node/threads.ts'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bootstrapAccount } from '../../shared/accounts/verbs/bootstrap.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { isUnreachable } from '../../shared/kernel/unreachable.ts'
import { migrate } from '../migrate.ts'
import { AppendedFile } from '../node/appended-file.ts'
import { type ConnectionOptions, openConnections } from '../node/connections.ts'
import { createContext } from '../node/context.ts'
import { guardOutput } from '../node/guarded-output.ts'
import { giveBackAtRest, giveBackMemory, keepHeapSmall } from '../node/heap.ts'
import { needsKeyOf } from '../node/installation.ts'
import { logLine } from '../node/log.ts'
import { startServer } from '../node/server.ts'
import { unknownSettings } from '../node/setting-names.ts'
import { processSettings, readSettings, type Settings } from '../node/settings.ts'
import { CRASHED } from '../node/stop.ts'
import { refusalOf } from '../node/store-errors.ts'
import { openTelemetry } from '../node/telemetry.ts'
import { within } from './child.ts'
import {
  knownMasterKey,
  openDataFolder,
  operatorKeyIn,
  readJson,
  writeJson,
  writeMasterKey,
} from './data-folder.ts'
import { openDemo } from './demo.ts'
import { ExitError, endOf } from './exit-error.ts'
import { HOST, openNetworks, startSettings } from './start-settings.ts'
import { isFree } from './store.ts'
import { openStores } from './stores.ts'

/** The contents of `local.json` in the data folder, for the CLI and for people. */
export interface LocalStack {
  base_url: string
  account: { email: string; password: string }
  project_id: string
  api_key: string
  /** The bearer for GET /metrics; older files lack it. */
  metrics_token?: string
}

type Access = Pick<LocalStack, 'account' | 'project_id' | 'api_key'>

const STOP_MS = 30_000
// A terminal's Ctrl-C arrives here, and again through npm and the bootstrap; these count as one signal.
const SAME_WISH_MS = 500

const LOG = {
  waiting: LIMITS.log_waiting_characters,
  leftOut: (lines: number) => `${logLine('warn', 'log_lines_lost', { lines })}\n`,
}

const HELD =
  'HELD: this installation was restored from a backup. No item is dispatched, no schedule fires and no message leaves until: npx --no assay admin go-on'
const say = (line: string) => console.log(line)
const parts = new AsyncDisposableStack()
const stop = Promise.withResolvers<{ code: number }>()
const stopping = new AbortController()
let askedAt = 0

function ask(code: number): void {
  const now = Date.now()
  if (askedAt > 0 && now - askedAt > SAME_WISH_MS) process.exit(130)
  askedAt ||= now
  stopping.abort()
  stop.resolve({ code })
}

function lost(error: Error): void {
  stopping.abort()
  stop.resolve({ code: report(error) })
}

async function start(): Promise<void> {
  const wantsDemo = options().demo
  const settings = processSettings()
  const { port, dataDir, databaseCa, redisCa, installation, ...given } = startSettings(settings)
  for (const { name, meant } of unknownSettings(process.env))
    say(`unknown_setting: there is no setting ${name}${meant ? `; did you mean ${meant}?` : ''}`)
  const dataFolder = await openDataFolder(dataDir)
  parts.defer(() => dataFolder.release())
  if (!(await isFree(port))) {
    throw new ExitError(
      'port_in_use',
      `port ${port} on ${HOST} is taken. Stop what uses it, or set PORT to another.`,
    )
  }
  say(`data folder ${dataFolder.path}`)
  say(openNetworks(given.server))
  const stores = parts.adopt(
    await openStores({
      dataFolder,
      databaseUrl: given.databaseUrl,
      redisUrl: given.redisUrl,
      say,
      onLost: lost,
    }),
    stores => stores.close(),
  )
  stopping.signal.throwIfAborted()

  const file = join(dataFolder.path, 'local.json')
  const { databaseUrl, redisUrl } = stores
  const urls = { databaseUrl, databaseCa, redisUrl, redisCa, installation }
  const known = await readJson<LocalStack>(file)
  let access: Access | undefined = known
  const prepare = async () => {
    await migrate(given.migration?.url ?? databaseUrl, given.migration?.ca)
    const masterKey = await masterKeyFor(dataFolder.path, urls, given.masterKey)
    const baseUrl = given.server.baseUrl ?? `http://${HOST}:${port}`
    access ??= await firstAccess({ ...urls, baseUrl, masterKey })
    return masterKey
  }
  const metrics_token = given.metricsToken ?? known?.metrics_token ?? crypto.randomUUID()
  const operatorKey = given.operatorKey ?? (await operatorKeyIn(dataFolder.path))
  const demo = parts.adopt(await openDemo(dataFolder.path, say), demo => demo.close())
  const log = parts.adopt(new AppendedFile(join(dataFolder.path, 'assay.log'), LOG), log => log.flush())
  const server = parts.adopt(
    await startServer({
      ...urls,
      ...given.server,
      port,
      dataDir: dataFolder.path,
      masterKey: await knownMasterKey(dataFolder.path, given.masterKey), // else readiness would call it missing until then
      prepare: sayingOnce(prepare),
      stop: stopping.signal,
      runtimeUrl: given.runtimeUrl,
      metricsToken: metrics_token,
      operatorKey,
      telemetry: await openTelemetry(settings),
      writeLog: line => log.write(`${line}\n`),
    }),
    server => server.close(),
  )
  process.send?.({ port: server.port }) // the port on which the bootstrap answers before a restart
  const { account, project_id, api_key } = access!
  await writeJson(file, {
    base_url: server.url,
    account,
    project_id,
    api_key,
    metrics_token,
  } satisfies LocalStack)
  say(
    `dashboard ${given.server.baseUrl ?? server.url}/dashboard for ${account.email}, whose password is in ${file}, as is an API key`,
  )
  if (server.heldSince !== null) say(HELD)
  say(`ready ${server.url}`)
  if (wantsDemo && (known === undefined || demo.unfinished)) {
    const { env, stdout: out } = process
    await demo
      .run({ base_url: server.url, api_key, out, env, signal: stopping.signal })
      .catch(error => say(`the sample did not finish: ${error.message}`))
  }
  giveBackMemory()
  parts.defer(giveBackAtRest())
}

/** Prints what the start waits for, once for each reason. */
function sayingOnce<T>(ask: () => Promise<T>): () => Promise<T> {
  let reported = ''
  return () =>
    ask().catch(error => {
      const why = `PostgreSQL does not answer (${(error as Error).message}); waiting for it`
      if (isUnreachable(error) && why !== reported) say(why)
      reported = why
      throw error
    })
}

/** Returns the master key. It is created at the first start, but never for data that another key has sealed. */
async function masterKeyFor(
  folder: string,
  { databaseUrl, databaseCa }: ConnectionOptions,
  given: string | undefined,
) {
  const known = await knownMasterKey(folder, given)
  const needsKey = await needsKeyOf(databaseUrl, databaseCa)
  if (known !== undefined) return known
  if (!needsKey) return writeMasterKey(folder)
  throw new ExitError(
    'master_key_missing',
    `the database holds data that was sealed under a master key, and ${join(folder, 'master.key')} is not there. Put that file back, or set ASSAY_MASTER_KEY to what was in it. A new key could decrypt none of it.`,
  )
}

async function firstAccess(at: ConnectionOptions & { baseUrl: string; masterKey: string }) {
  const connections = openConnections({ ...at, pool: { sql: 1, db: 1 } })
  try {
    return await bootstrapAccount(
      createContext({ connections, config: { base_url: at.baseUrl, master_key: at.masterKey } }),
    )
  } finally {
    await connections.close()
  }
}

function options(): { demo: boolean } {
  try {
    const { values } = parseArgs({ options: { 'no-demo': { type: 'boolean', default: false } } })
    return { demo: !values['no-demo'] }
  } catch (error) {
    throw new ExitError('usage', `${(error as Error).message}\nusage: npm start [-- --no-demo]`)
  }
}

/** The parts that this process stops; stores given by URL keep running. */
const ownParts = ({ get }: Settings) => [
  'the server',
  'its agents',
  ...(get('DATABASE_URL') ? [] : ['PostgreSQL']),
  ...(get('REDIS_URL') ? [] : ['Redis']),
]

/** Prints the error and returns the exit code. */
function report(error: unknown): number {
  const { line, code } = endOf(refusalOf(error) ?? error)
  console.error(line)
  return code
}

// Like endOnCrash, but for a person's terminal; the bootstrap knows the exit code and starts the stack again.
process.on('uncaughtException', error => {
  console.error(error)
  process.exit(CRASHED)
})

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ask(0))
// A disconnect means that the bootstrap, at the other end, was killed.
if (process.channel) process.on('disconnect', () => ask(0))

guardOutput()
keepHeapSmall()
const started = start()
started.catch(error => {
  if (stopping.signal.aborted) return
  const code = report(error)
  stop.resolve({ code: error instanceof ExitError && error.code === 'usage' ? 2 : code })
})
const { code } = await stop.promise
if (askedAt > 0) say('stopping')
const settled = within(
  STOP_MS,
  Promise.allSettled([started]).then(() => parts.disposeAsync()),
)
const whole = await settled.catch(error => report(error))
if (!whole) {
  console.error(`not everything stopped within ${STOP_MS / 1000} s; ending what is left`)
  process.exit(1)
}
if (askedAt > 0) say(`stopped: ${ownParts(readSettings(process.env)).join(', ')}`)
process.exit(code)
