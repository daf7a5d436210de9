// A process that calls a server's /health every 50 ms, over a new connection each time as a platform's probe does, and
// reads the server's memory. It runs apart from the attacker, whose load would hold up its clock. It calls a bare
// server at the same moments, to know what the machine itself takes.

import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { performance } from 'node:perf_hooks'

const EVERY_MS = 50
const GIVE_UP_MS = 30_000

export interface Probed {
  /** Of each probe that was answered 200. */
  health_ms: number[]
  /** Of each probe of the bare server. */
  bare_ms: number[]
  /** Probes that were refused, reset, silent for too long, or answered with another status. */
  failed: number
  /** At the first measurement, and at most. */
  rss_bytes: { before: number; most: number }
  /** The share of time with a processor, out of the time in which the server had something to do. */
  share: number
}

const [url, pid, bareUrl] = process.argv.slice(2)
const rss = () => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1]) * 1024
}

/** How long its event loop ran, and waited for a processor, in nanoseconds; both 0 if the kernel does not say. */
function scheduled(): [number, number] {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number)
    return [ran!, waited!]
  } catch {
    return [0, 0]
  }
}

/** How many milliseconds an answer of 200 took; undefined if there was none. */
function probe(target: string): Promise<number | undefined> {
  const began = performance.now()
  return new Promise(resolve => {
    const asked = get(target, { agent: false, timeout: GIVE_UP_MS }, answer => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode === 200 ? performance.now() - began : undefined))
      answer.once('error', () => resolve(undefined))
    })
    asked.once('timeout', () => asked.destroy(new Error('silent')))
    asked.once('error', () => resolve(undefined))
  })
}

async function probeBoth(): Promise<void> {
  const [health, bare] = await Promise.all([probe(`${url}/health`), probe(bareUrl!)])
  if (health === undefined) probed.failed++
  else probed.health_ms.push(health)
  if (bare !== undefined) probed.bare_ms.push(bare)
}

const probed: Probed = {
  health_ms: [],
  bare_ms: [],
  failed: 0,
  rss_bytes: { before: rss(), most: 0 },
  share: 1,
}
const before = scheduled()
const underWay = new Set<Promise<void>>()
const look = () => {
  probed.rss_bytes.most = Math.max(probed.rss_bytes.most, rss())
}

await Promise.all([probe(`${url}/health`), probe(bareUrl!)]) // so that loading the client is no delay of the server
const timer = setInterval(() => {
  look()
  const one: Promise<void> = probeBoth().finally(() => underWay.delete(one))
  underWay.add(one)
}, EVERY_MS)

process.once('message', async () => {
  clearInterval(timer)
  look()
  await Promise.all(underWay)
  const [ran, waited] = scheduled().map((ns, at) => ns - before[at]!) as [number, number]
  if (ran > 0) probed.share = ran / (ran + waited)
  process.send!(probed)
  process.disconnect()
})
process.send!('ready')
