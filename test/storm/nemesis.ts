// Chooses faults and lets them strike. Guarantee: seed and round determine which faults strike when; after a round all
// of them have ended and everything is up again.

import { setTimeout as pause } from 'node:timers/promises'
import { FAULTS, type Fault, type Strike, UPSTREAM_FAULTS } from './faults.ts'
import type { Installation } from './installation.ts'
import { randomFrom } from './random.ts'

/** Of processes and stores, and of upstreams. */
export const FAULTS_PER_ROUND = 6
export const UPSTREAM_FAULTS_PER_ROUND = 2
const FIRST_MS = 500

export function planOf(seed: number, round: number, ms: number): Strike[] {
  const own = dealt(FAULTS, FAULTS_PER_ROUND, { seed, round, ms, kind: '' })
  const outside = dealt(UPSTREAM_FAULTS, UPSTREAM_FAULTS_PER_ROUND, { seed, round, ms, kind: 'upstream ' })
  return [...own, ...outside].sort((a, b) => a.at_ms - b.at_ms)
}

/** Deals from shuffled decks, so that a few rounds include each fault. */
function dealt(
  faults: Record<string, Fault>,
  perRound: number,
  { seed, round, ms, kind }: { seed: number; round: number; ms: number; kind: string },
): Strike[] {
  const random = randomFrom(seed, `${kind}nemesis`)
  const deck = Object.entries(faults).flatMap(([name, { weight }]) => Array<string>(weight).fill(name))
  const dealt: string[] = []
  while (dealt.length < round * perRound) dealt.push(...random.shuffled(deck))
  const ofRound = randomFrom(seed, round, `${kind}strikes`)
  const apart_ms = (ms - FIRST_MS) / perRound
  return dealt.slice((round - 1) * perRound, round * perRound).map((fault, nth) => ({
    fault,
    at_ms: Math.round(FIRST_MS + apart_ms * (nth + ofRound.next())),
    unit: ofRound.whole(0, 1000),
    strength: ofRound.next(),
  }))
}

/** Resolves when all faults have ended and everything is up. */
export async function strikeAll(
  installation: Installation,
  plan: readonly Strike[],
  say: (line: string) => void,
): Promise<void> {
  const began = performance.now()
  const busy = new Map<string, Promise<void>>()
  for (const strike of plan) {
    await pause(Math.max(0, began + strike.at_ms - performance.now()))
    const fault = { ...FAULTS, ...UPSTREAM_FAULTS }[strike.fault]!
    // A full disk hits both stores, so no other fault may start one of them meanwhile.
    const targets = fault.target === 'disk' ? ['postgres', 'redis'] : [fault.target]
    const before = Promise.all(targets.map(target => fault.target !== 'unit' && busy.get(target)))
    const struck = before.then(async () => {
      const from = performance.now()
      await fault.strike(installation, strike)
      const at = ((from - began) / 1000).toFixed(1)
      say(`${strike.fault} at ${at} s for ${Math.round(performance.now() - from)} ms`)
    })
    struck.catch(() => {}) // thrown by Promise.all below
    for (const target of fault.target === 'unit' ? [`unit ${busy.size}`] : targets) busy.set(target, struck)
  }
  await Promise.all(busy.values())
  await Promise.all([installation.postgres.ensureUp(), installation.redis.ensureUp()])
  await Promise.all(installation.units.map(unit => unit.ready()))
}
