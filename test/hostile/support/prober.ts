// A process that asks a server for its health every 50 ms, each time over a new connection as a platform's probe does, and
// looks at how much memory it has. It is apart from whoever attacks, so that their load does not hold up its clock. A bare
// server is asked at the same moments, so that it is known what the machine itself takes.

import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { performance } from 'node:perf_hooks'

const EVERY_MS = 50
const GIVE_UP_MS = 30_000

export interface Probed {
  /** Of each probe that was answered 200. */
  health_ms: number[]
  /** Of each of the bare server. */
  bare_ms: number[]
  /** Refused, reset, silent for too long, or another status. */
  failed: number
  /** At the first look, and at most. */
  rss_bytes: { before: number; most: number }
  /** Of the time in which the server had something to do, the share in which it had a processor. */
  share: number
}

const [url, pid, bareUrl] = process.argv.slice(2)
const rss = () => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1]) * 1024
}

/** What its event loop ran for, and what it waited for a processor, in nanoseconds; both 0 where the kernel does not tell. */
function scheduled(): [number, number] {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number)
    return [ran!, waited!]
  } catch {
    return [0, 0]
  }
}

/** How long the answer took; undefined where there was none. */
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

await Promise.all([probe(`${url}/health`), probe(bareUrl!)]) // loading what asks is no delay of the server
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
