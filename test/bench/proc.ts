// Reads from /proc which processes used the processors. Guarantee: the time of a process counts once, also after its end.

import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100 // USER_HZ, on every Linux

export interface Process {
  pid: number
  parent: number
  name: string
  /** Processor seconds of a process: its own, and those of children that have ended and been waited for. */
  seconds: number
}

/** The file's text; nothing when the process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** Parses a line of `stat`, of a process or of one of its threads. */
function parse(pid: number, text: string): Process {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    pid,
    parent: Number(fields[1]),
    name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    seconds: fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS_PER_SECOND,
  }
}

export function processes(): Map<number, Process> {
  const found = new Map<number, Process>()
  for (const name of readdirSync('/proc')) {
    const text = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : ''
    if (text !== '') found.set(Number(name), parse(Number(name), text))
  }
  return found
}

/** Processor seconds of a process by name of thread; threads of one name are added up. */
export function threads(pid: number): Map<string, number> {
  const found = new Map<string, number>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const text = read(`/proc/${pid}/task/${id}/stat`)
    if (text === '') continue
    const { name, seconds } = parse(Number(id), text)
    found.set(name, (found.get(name) ?? 0) + seconds)
  }
  return found
}

/** A process and its descendants. */
export function treeOf(pid: number, all: ReadonlyMap<number, Process>): Process[] {
  const root = all.get(pid)
  if (root === undefined) return []
  const children = Map.groupBy(all.values(), one => one.parent)
  const tree = [root]
  for (const one of tree) tree.push(...(children.get(one.pid) ?? []))
  return tree
}

/** Processor seconds of a process and of those it started, including those that have ended and been waited for. */
export const processorSeconds = (pid: number): number =>
  treeOf(pid, processes()).reduce((sum, { seconds }) => sum + seconds, 0)

/** The names of its program and of the first argument that is not an option, without their folders. */
export function commandOf(pid: number): string {
  const [program = '', ...args] = read(`/proc/${pid}/cmdline`).split('\0')
  const first = args.find(arg => arg !== '' && !arg.startsWith('-')) ?? ''
  return [program, first]
    .map(text => text.split('/').at(-1))
    .join(' ')
    .trim()
    .slice(0, NAME_CHARACTERS)
}

/** Seconds in which the processors of this machine worked, and seconds that the host gave to other machines. */
function machine(): { worked: number; stolen: number } {
  const [user, nice, system, , , irq, softirq, steal] = read('/proc/stat')
    .split('\n', 1)[0]!
    .split(/\s+/)
    .slice(1)
    .map(ticks => Number(ticks) / TICKS_PER_SECOND)
  return { worked: user! + nice! + system! + irq! + softirq!, stolen: steal! }
}

/** The average number of busy processors over a time. */
export interface Cores {
  /** Busy with processes that this one started: servers, agents, stores. */
  ours: number
  /** Busy with this process, which submits and measures. */
  caller: number
  others: number
  /** The busiest other processes, in descending order. */
  busiest: { name: string; cores: number }[]
}

const NAMED = 3
const NAME_CHARACTERS = 40

/** Watches who uses the processors, until it is ended. */
export function watchCores(): { end(): Cores } {
  const look = () => ({
    at: performance.now(),
    all: processes(),
    machine: machine(),
    own: process.cpuUsage(),
  })
  const before = look()
  return {
    end() {
      const after = look()
      const per = (seconds: number) => (seconds * 1000) / (after.at - before.at)
      const tree = ({ all }: typeof before) =>
        treeOf(process.pid, all).reduce((sum, { seconds }) => sum + seconds, 0)
      const own = process.cpuUsage(before.own)
      const caller = per((own.user + own.system) / 1e6)
      const ours = per(tree(after) - tree(before)) - caller
      const stolen = per(after.machine.stolen - before.machine.stolen)
      const worked = per(after.machine.worked - before.machine.worked)
      const inTree = new Set(treeOf(process.pid, after.all).map(({ pid }) => pid))
      const spent = [...after.all.values()]
        .filter(({ pid }) => !inTree.has(pid))
        .map(({ pid, name, seconds }) => ({
          name: commandOf(pid) || name,
          cores: per(seconds - (before.all.get(pid)?.seconds ?? 0)),
        }))
      const busiest = [...spent, { name: 'the host of this machine', cores: stolen }]
        .sort((a, b) => b.cores - a.cores)
        .slice(0, NAMED)
      return { ours, caller, others: Math.max(0, worked + stolen - ours - caller), busiest }
    },
  }
}
