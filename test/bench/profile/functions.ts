// Computes from a recording of V8's profiler which functions of the server used the processor.

import { readFile } from 'node:fs/promises'
import type { Profiler } from 'node:inspector'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../../', import.meta.url).href

export interface Spent {
  /** The function with its file and line, or only the file and line. */
  name: string
  seconds: number
}

export interface FunctionTimes {
  /** Time in the function itself. */
  self: Spent[]
  /** Time including its callees while they were on the same stack: after an await, time counts for the new caller. */
  inclusive: Spent[]
  /** Time in the functions of a file. */
  files: Spent[]
  seconds: number
}

/** V8's names for entries that are not functions. */
const RESTING = new Set(['(idle)', '(root)'])

export async function readFunctions(file: string): Promise<FunctionTimes> {
  const profile = JSON.parse(await readFile(file, 'utf8')) as Profiler.Profile
  const own = ownSeconds(profile)
  const nodes = new Map(profile.nodes.map(node => [node.id, node]))
  const [self, inclusive, files] = [0, 0, 0].map(() => new Map<string, number>()) as [Sums, Sums, Sums]
  const walk = (node: Profiler.ProfileNode, above: ReadonlySet<string>): number => {
    const name = nameOf(node)
    const within = new Set(above).add(name)
    const spent = own.get(node.id) ?? 0
    const below = (node.children ?? []).reduce((sum, id) => sum + walk(nodes.get(id)!, within), 0)
    if (!RESTING.has(name)) {
      add(self, name, spent)
      add(files, placeOf(node.callFrame) || name, spent)
      if (!above.has(name)) add(inclusive, name, spent + below)
    }
    return RESTING.has(name) && name !== '(root)' ? 0 : spent + below
  }
  const seconds = walk(profile.nodes[0]!, new Set())
  return { self: sorted(self), inclusive: sorted(inclusive), files: sorted(files), seconds }
}

type Sums = Map<string, number>

const add = (sums: Sums, name: string, seconds: number) => sums.set(name, (sums.get(name) ?? 0) + seconds)
const sorted = (sums: Sums): Spent[] =>
  [...sums].map(([name, seconds]) => ({ name, seconds })).sort((a, b) => b.seconds - a.seconds)

/** Seconds by id of a node, without its children. */
function ownSeconds({ samples = [], timeDeltas = [] }: Profiler.Profile): Map<number, number> {
  const own = new Map<number, number>()
  for (const [i, id] of samples.entries())
    own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[i + 1] ?? 0) / 1e6)
  return own
}

function nameOf({ callFrame }: Profiler.ProfileNode): string {
  const place = placeOf(callFrame)
  const name = callFrame.functionName || '(anonymous)'
  return place === '' ? name : `${name} ${place}:${callFrame.lineNumber + 1}`
}

function placeOf({ url }: { url: string }): string {
  if (url.startsWith(ROOT)) return url.slice(ROOT.length).replace(/^node_modules\//, '')
  return url.startsWith('file:') ? fileURLToPath(url) : url
}
