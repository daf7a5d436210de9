// Processor seconds by kind of process, and by thread of the server.

import { processes, processorSeconds, threads, treeOf } from '../proc.ts'
import type { Bench } from '../stack.ts'
import { backendKinds } from './sessions.ts'

export type Seconds = Map<string, number>

const sum = (seconds: Seconds, kind: string, more: number) =>
  seconds.set(kind, (seconds.get(kind) ?? 0) + more)

/** Processor seconds so far; ended sessions of PostgreSQL count for its main process. */
export async function secondsSoFar(bench: Bench): Promise<Seconds> {
  const kinds = new Map((await backendKinds(bench)).map(({ pid, kind }) => [pid, kind]))
  const all = processes()
  const seconds: Seconds = new Map()
  for (const [name, spent] of threads(bench.pids.server)) sum(seconds, `server, ${name}`, spent)
  for (const one of treeOf(bench.pids.server, all).slice(1))
    sum(seconds, `below the server, ${one.name}`, one.seconds)
  for (const one of treeOf(bench.pids.postgres, all))
    sum(seconds, `PostgreSQL, ${kinds.get(one.pid) ?? 'main process and those that ended'}`, one.seconds)
  sum(seconds, 'Redis', processorSeconds(bench.pids.redis))
  const known = new Set(Object.values(bench.pids))
  for (const one of all.values())
    if (one.parent === process.pid && !known.has(one.pid)) sum(seconds, 'agents behind URLs', one.seconds)
  const { user, system } = process.cpuUsage()
  sum(seconds, 'the bench, which submits and measures', (user + system) / 1e6)
  return seconds
}

/** The differences, the largest first. */
export const addedTo = (before: Seconds, after: Seconds): [kind: string, seconds: number][] =>
  [...after]
    .map(([kind, seconds]): [string, number] => [kind, seconds - (before.get(kind) ?? 0)])
    .sort(([, a], [, b]) => b - a)
