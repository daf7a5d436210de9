// The entry point of `npm start`, for any Node: installs the dependencies, Node 24 among them, then bundles the stack
// into one file and runs it. Signals are passed on; when this process dies, the stack notices and stops. A crashed
// stack is bundled and started again: soon at first, then after longer waits, during which /health/ready says so.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const lockfile = join(root, 'package-lock.json')
const patch = join(root, 'patches', 'postgres+3.4.9.patch')
const driver = join(root, 'node_modules', 'postgres', 'src', 'index.js')
// npm writes this file last, so an interrupted install lacks it.
const installed = join(root, 'node_modules', '.package-lock.json')
const stamp = join(root, 'node_modules', '.assay-installed')
// The same as in shared/upkeep/verbs/readiness.ts, which an old Node cannot load.
const DEPENDENCIES = ['postgres', 'redis', 'schema', 'role', 'master_key']
const packagedNode = join(root, 'node_modules', '.bin', 'node')

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGABRT: 6, SIGKILL: 9, SIGTERM: 15 }
const DISK_FULL = 75
// Exit codes of an uncaught error, of the signals that end a process which used too many resources, and of a full disk.
const CRASHED = new Set([70, 128 + 9, 128 + 6, DISK_FULL])
// V8 lets the young generation grow to 120 MB and returns it late; a third of that is as fast.
const HEAP = ['--max-semi-space-size=16']
const CRASH_WINDOW_MS = 600_000
// Leftovers of the crashed stack end within the first wait; each crash of the last ten minutes doubles it.
const RESTART_MS = { base: 500, max: 60_000 }
const HOST = '127.0.0.1'
let child
let port = Number(process.env.PORT || 8090)
let stopping = false
let endPause = () => {}
// A full disk behind them, or a reader that has gone, must not end the stack.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
for (const signal of SIGNALS) {
  process.on(signal, () => {
    stopping = true
    endPause()
    child?.kill(signal)
  })
}

await ensureDependencies()
const node = nodeToUse()
if (stopping) process.exit(0)
const bundle = () => run(node, [join(root, 'infra', 'local', 'bundle.ts')])
const crashes = []
await bundleOnce()
if (stopping) process.exit(0)
process.exit(await runStack(node))

/** Bundles the stack, again and again while the disk has no room for it. */
async function bundleOnce() {
  for (;;) {
    const code = await bundle()
    if (stopping || code === 0) return
    if (code !== DISK_FULL) process.exit(code)
    await pauseAfterCrash(code)
    if (stopping) return
  }
}

/** Resolves with the exit code of a stack that was asked to stop or could not start. */
async function runStack(node) {
  for (;;) {
    const code = await run(node, [...HEAP, join(root, 'dist', 'start.mjs'), ...process.argv.slice(2)], 'ipc')
    if (stopping || !CRASHED.has(code)) return code
    await pauseAfterCrash(code)
    // The bundle may be of another version by now, while the migrations next to it are those of the checkout.
    if (!stopping) await bundle()
    if (stopping) return code
  }
}

/** Waits longer with each crash, and answers requests meanwhile. */
async function pauseAfterCrash(code) {
  crashes.push(Date.now())
  const lately = crashes.filter(at => at > Date.now() - CRASH_WINDOW_MS)
  crashes.splice(0, crashes.length - lately.length)
  const wait_ms = Math.min(RESTART_MS.base * 2 ** (lately.length - 1), RESTART_MS.max)
  const so_often = lately.length > 1 ? ` ${lately.length} times within ten minutes` : ''
  const what = code === DISK_FULL ? 'did not start, since a disk is full,' : `crashed${so_often}`
  const message = `the stack ${what} and is started again in ${wait_ms / 1000} s; no item is lost`
  console.error(message)
  const server = await sayMeanwhile(message, wait_ms)
  await new Promise(resolve => {
    endPause = resolve
    setTimeout(resolve, wait_ms)
  })
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
}

/** Answers in place of the stack: readiness with 503, everything else with an error that says it restarts. */
async function sayMeanwhile(message, wait_ms) {
  const dependency = { status: 'unknown', latency_ms: 0, reason: null }
  const turn = { status: 'unknown', age_ms: null }
  const unavailable = {
    status: 'unavailable',
    dependencies: Object.fromEntries(DEPENDENCIES.map(name => [name, dependency])),
    turns: { tick: turn, consumer: turn },
    held_since: null,
    error: { code: 'process_restarting', message },
  }
  const error = { code: 'store_unreachable', message, hint: 'Ask again.' }
  const { createServer } = await import('node:http') // 5 MB, for which most starts have no use
  const server = createServer((request, response) => {
    const isProbe = request.url.split('?')[0].endsWith('/health/ready') // not parsed, since it may be no URL
    const headers = { 'content-type': 'application/json', 'retry-after': String(Math.ceil(wait_ms / 1000)) }
    response.writeHead(isProbe ? 503 : 500, { ...headers, connection: 'close' })
    response.end(JSON.stringify(isProbe ? unavailable : { error }))
  })
  // If another process has taken the port, that one answers; the stack reports it when it starts.
  await new Promise(resolve => server.once('error', resolve).listen(port, HOST, resolve))
  return server
}

async function ensureDependencies() {
  const wanted = createHash('sha256').update(readFileSync(lockfile)).update(readFileSync(patch)).digest('hex')
  if (!isInstalled(wanted)) {
    console.log('installing dependencies with npm ci; the first time this takes about a minute')
    const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
    const npm = process.env.npm_execpath
    const code = npm ? await run(process.execPath, [npm, ...args]) : await run('npm', args)
    if (stopping) process.exit(0)
    if (code !== 0) {
      fail(
        'installing the dependencies failed (above is what npm said). Fix that, or run "npm ci" yourself, then start again.',
      )
    }
  }
  // npm may be configured to run no scripts, and one of them patches the driver.
  if (!readFileSync(driver, 'utf8').includes('isPatched')) {
    const patcher = join(root, 'node_modules', 'patch-package', 'index.js')
    if ((await run(process.execPath, [patcher])) !== 0) fail('patching the PostgreSQL driver failed')
  }
  note(wanted)
}

/** Never half written: another start beside this one would take that for other dependencies, and remove these. */
function note(wanted) {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  const made = `${stamp}-${process.pid}`
  writeFileSync(made, wanted)
  renameSync(made, stamp)
}

function isInstalled(wanted) {
  if (!existsSync(installed)) return false
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') === wanted
  return statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs
}

function nodeToUse() {
  if (isNode24(packagedNode)) return packagedNode
  if (isNode24(process.execPath)) return process.execPath
  // npm may be configured to run no install scripts, and one of them fetches Node.
  spawnSync('npm', ['rebuild', 'node', '--ignore-scripts=false'], { cwd: root, stdio: 'ignore' })
  if (isNode24(packagedNode)) return packagedNode
  return fail(
    `Node 24 is needed and this is ${process.version}. It comes as the npm package "node", whose install script did not run: run "npm rebuild node", or install Node 24, then start again.`,
  )
}

function isNode24(path) {
  const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout ?? ''
  return Number(/^v(\d+)/.exec(version)?.[1]) >= 24
}

/** Resolves with the exit code; after a signal, with 128 plus its number, as in a shell. */
function run(command, args, channel) {
  return new Promise(resolve => {
    const stdio = ['inherit', 'inherit', 'inherit', ...(channel ? [channel] : [])]
    child = spawn(command, args, { cwd: root, stdio })
    child.on('message', message => {
      if (Number.isInteger(message?.port)) port = message.port
    })
    child.once('error', error => fail(`cannot run ${command}: ${error.message}`))
    child.once('exit', (code, signal) => {
      child = undefined
      resolve(code ?? 128 + (SIGNAL_NUMBERS[signal] ?? 0))
    })
  })
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
