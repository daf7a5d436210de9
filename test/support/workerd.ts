// Real workerd, with the configuration and the bundles that are made from values.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filesOf, readExample } from '../../infra/targets/installation.ts'
import type { WorkerdValues } from '../../infra/targets/values.ts'
import { unitKeys } from '../../infra/unit-keys.ts'
import { writeWorkerd } from '../../infra/workerd/bundle.ts'
import { tempFolder } from './temp-folder.ts'

export const WORKERD = join(import.meta.dirname, '../../node_modules/workerd/bin/workerd')
const LOG_CHARACTERS = 8000

/** The example's values, except for networks and addresses, which are those of a test's machine. */
export async function localValues(): Promise<WorkerdValues> {
  return {
    ...(await readExample('workerd')),
    base_url: 'http://assay.test',
    store_networks: ['127.0.0.0/8'],
    callback_networks: ['127.0.0.0/8'],
    listen: '127.0.0.1:0',
    listen_metrics: '127.0.0.1:0',
  }
}

export interface Workerd {
  url: string
  /** The URL of every socket, by its name. */
  urls: Record<string, string>
  child: ChildProcess
  /** The end of what it has logged. */
  log(): string
  close(): Promise<void>
}

let made: Promise<string> | undefined
/** The folder that workerd is started from, made once per test file. */
export function workerdFolder(): Promise<string> {
  made ??= (async () => {
    const { path } = await tempFolder() // removed by the next test run
    await writeConfiguration(path, await localValues())
    await writeWorkerd(path)
    return path
  })()
  return made
}

export async function writeConfiguration(folder: string, values: WorkerdValues): Promise<void> {
  for (const [name, text] of filesOf('workerd', values, 'a test')) await writeFile(join(folder, name), text)
}

/** Resolves when it listens. Its environment is `env` and the key sets derived from its master key. */
export async function startWorkerd(env: Record<string, string>, config = 'config.capnp'): Promise<Workerd> {
  const folder = await workerdFolder()
  const state = join(folder, `state-${crypto.randomUUID()}`)
  await mkdir(state)
  const args = [
    'serve',
    '--experimental',
    '--control-fd=3',
    '-s',
    'http=127.0.0.1:0',
    '-s',
    'metrics=127.0.0.1:0',
    '-d',
    `state=${state}`,
  ]
  const child = spawn(WORKERD, [...args, join(folder, config)], {
    env: { ...(env.ASSAY_MASTER_KEY && (await unitKeys(env.ASSAY_MASTER_KEY))), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', chunk => {
      log = (log + chunk).slice(-LOG_CHARACTERS)
    })
  }
  const ended = once(child, 'exit')
  const urls = await reported(child)
  if (urls === undefined) throw new Error(`workerd ended before it listened: ${log}`)
  return {
    url: urls.http!,
    urls,
    child,
    log: () => log,
    async close() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000) // streams that callers left open
      await ended
      clearTimeout(timer)
    },
  }
}

/** Reads workerd's control descriptor, a line of JSON per socket; undefined if it ends before the last. */
async function reported(child: ChildProcess): Promise<Record<string, string> | undefined> {
  const urls: Record<string, string> = {}
  for await (const chunk of child.stdio[3] as AsyncIterable<Buffer>) {
    for (const [, socket, port] of chunk.toString().matchAll(/"socket":"(\w+)".*?"port":(\d+)/g))
      urls[socket!] = `http://127.0.0.1:${port}`
    if (urls.http !== undefined) return urls // the last socket of the configuration
  }
  return undefined
}
