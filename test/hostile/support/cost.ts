// What an attack costs the attacked process: memory, and the time that others wait for an answer.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Stack } from '../../support/stack.ts'
import type { Probed } from './prober.ts'

/** The most that strangers may cost, with anything, 50 at a time. */
export const MEMORY_BYTES = 150_000_000
export const HEALTH_MS = 250
/** The machine may hold up the slowest probe; without the defences an answer took seconds. */
const SLOWEST_MS = 2000

interface Times {
  median: number
  p95: number
  most: number
}

export interface Cost {
  memory_bytes: number
  /** Of all probes for /health, and of those for a bare server at the same moments. */
  health_ms: Times
  bare_ms: Times
  /** The share of time with a processor, out of the time in which the server had something to do. */
  share: number
  probes: number
  failed: number
}

/** The result of the work, and what it cost the stack meanwhile. */
export async function costOf<T>(stack: Stack, work: () => Promise<T>): Promise<[T, Cost]> {
  const children: ChildProcess[] = []
  const start = async (name: string, ...args: string[]) => {
    const child = fork(join(import.meta.dirname, name), args)
    children.push(child)
    return [child, (await once(child, 'message'))[0] as string] as const
  }
  try {
    const [, bareUrl] = await start('bare-server.ts')
    const [prober] = await start('prober.ts', stack.base_url, String(stack.pid), bareUrl)
    const value = await work()
    const report = once(prober, 'message')
    prober.send('stop')
    const [probed] = (await report) as [Probed]
    return [value, costIn(probed)]
  } finally {
    for (const child of children) child.kill()
  }
}

const costIn = ({ health_ms, bare_ms, share, failed, rss_bytes }: Probed): Cost => ({
  memory_bytes: rss_bytes.most - rss_bytes.before,
  health_ms: timesOf(health_ms),
  bare_ms: timesOf(bare_ms),
  share,
  probes: health_ms.length + failed,
  failed,
})

function timesOf(all: readonly number[]): Times {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { median: at(0.5), p95: at(0.95), most: at(1) }
}

/** Prints the figures of an attack. */
export function printCost(what: string, cost: Cost): void {
  const { memory_bytes, health_ms, bare_ms, share, probes, failed } = cost
  const shown = ({ median, p95, most }: Times) => [median, p95, most].map(Math.round).join('/')
  const missed = failed > 0 ? `, ${failed} of them not answered` : ''
  console.log(
    [
      `${what}: ${Math.round(memory_bytes / 1e6)} MB more`,
      `/health ${shown(own(cost))} ms at the median, p95 and most of ${probes}${missed}`,
      `(${shown(health_ms)} as measured, ${shown(bare_ms)} of a bare server, with ${Math.round(100 * share)} % of a processor)`,
    ].join('; '),
  )
}

/**
 * The part that the attack caused. Others use the machine too, attackers and stores among them: what a bare server
 * takes at the same moments is theirs, and so is what the server waited for a processor.
 */
function own({ health_ms, bare_ms, share }: Cost): Times {
  const of = (which: keyof Times) => Math.max(0, health_ms[which] - bare_ms[which]) * share
  return { median: of('median'), p95: of('p95'), most: of('most') }
}

/**
 * Checks that strangers cost no more than they may. If others leave the server less than half of a processor, times say
 * more about them than about the attack: then they are only held to what would be a defect anywhere, and printed.
 */
export function expectCheap(cost: Cost): void {
  const { median, p95, most } = own(cost)
  const isQuiet = cost.share > 0.5
  expect(cost.probes).toBeGreaterThan(20)
  expect(cost.memory_bytes).toBeLessThan(MEMORY_BYTES)
  expect(median).toBeLessThan(isQuiet ? HEALTH_MS : SLOWEST_MS)
  if (!isQuiet) return
  expect(cost.failed).toBe(0)
  expect(p95).toBeLessThan(HEALTH_MS)
  expect(most).toBeLessThan(SLOWEST_MS)
}
