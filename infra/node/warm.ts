// Starts every function of the image once during its build, so that Node stores V8's compiled code in the folder that
// NODE_COMPILE_CACHE names. Guarantee: a function that does not start fails the build.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'

const FUNCTIONS = new URL('functions/', import.meta.url)
const PORT = '8080'
const ASK_AGAIN_MS = 20
const START_MS = 60_000

/** Nothing listens at these addresses: a process does not query its stores before its first request. */
const NOWHERE = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  ASSAY_MASTER_KEY: '00'.repeat(32),
  ASSAY_UNIT_URL: 'http://127.0.0.1:1/{unit}',
}

/** Starts a program, requests its health and then a path that queries its stores, and stops it. */
export async function warm(program: string, env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...NOWHERE, HOST: '127.0.0.1', PORT, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', chunk => (log += chunk))
  const exited = once(child, 'exit')
  const origin = `http://127.0.0.1:${env.PORT ?? PORT}`
  const until = Date.now() + START_MS
  while (!(await answers(`${origin}/healthz`))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${program} does not start: ${log}`)
    await new Promise(resolve => setTimeout(resolve, ASK_AGAIN_MS))
  }
  await answers(origin)
  child.kill('SIGTERM')
  const [code] = await exited
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${log}`)
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { headers: { authorization: 'Bearer none' } }).catch(() => undefined)
  await response?.body?.cancel()
  return response !== undefined
}

if (import.meta.main) {
  const names = readdirSync(FUNCTIONS).flatMap(file => /^(.+)\.mjs$/.exec(file)?.[1] ?? [])
  for (const name of names) await warm(new URL('../function.mjs', FUNCTIONS).pathname, { FUNCTION: name })
}
