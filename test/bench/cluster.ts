// `npm run bench:scale -- --citus URL` measures what distributing costs: it puts the same loads through one PostgreSQL
// and through a Citus cluster whose coordinator is that same server. Guarantee: a figure is of a load in which no item
// was lost, judged twice or offered twice; existing databases of the cluster are left alone.

import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { distribute } from '../../infra/distribute.ts'
import { ExitError } from '../../infra/local/exit-error.ts'
import { migrate } from '../../infra/migrate.ts'
import { dropDatabase, makeCluster, nodesOf } from '../support/citus.ts'
import { type MadeProject, makeProjects } from '../support/many-projects.ts'
import { median, ROUNDS } from './batch.ts'
import { type Figures, idle, print, type Run, rateOf, through } from './cluster-load.ts'
import { closeNodes, countStatements, type Node, openNodes } from './nodes.ts'
import { atRest } from './rounds.ts'
import { type Bench, startBench } from './stack.ts'

const PROJECTS = Number(process.env.BENCH_PROJECTS ?? 200)
const SHARDS = 32
/** The small projects have 1 to this many items, in turn. */
const MOST_ITEMS = 50
/** Candidates for the large project: fewer than one time in a thousand none of them lies on the first worker. */
const CANDIDATES = 12

const WAYS = ['one PostgreSQL', 'the cluster'] as const
type Way = (typeof WAYS)[number]

interface Installation {
  bench: Bench
  nodes: Node[]
  large: MadeProject
  small: MadeProject[]
}

export async function cluster(url: string, items: number): Promise<void> {
  const urls = await clusterAt(url)
  const seen = new Map<string, Map<Way, Figures[]>>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of WAYS) {
      for (const [load, figures] of await measure(urls, way, items)) {
        const ofLoad = seen.get(load) ?? new Map<Way, Figures[]>()
        seen.set(load, ofLoad.set(way, [...(ofLoad.get(way) ?? []), figures]))
      }
    }
  }
  for (const [load, ways] of seen) {
    console.log(`\n# ${load}`)
    for (const way of WAYS) print(way, ways.get(way)!, median(ways.get(WAYS[0])!.map(rateOf)))
  }
}

/** The URLs of the cluster's nodes. @throws ExitError if the URL names no cluster */
async function clusterAt(url: string): Promise<string[]> {
  const refusal = (why: string) =>
    new ExitError(
      'no_cluster',
      `--citus ${url} ${why}: it takes the URL of a database on the coordinator of a cluster of Citus, with a role that makes databases, as postgres://postgres@127.0.0.1:5432/postgres.`,
    )
  if (!/^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? '')) throw refusal('is no URL of a PostgreSQL')
  const urls = await nodesOf(url).catch(error => {
    if (error.code === '42P01') throw refusal('names a database without Citus')
    throw refusal(`cannot be asked (${error.message || error.code})`)
  })
  if (urls.length < 2) throw refusal('names a database that knows no worker')
  return urls
}

/** Puts all loads through a new database of their own; returns the figures by load. */
async function measure(urls: readonly string[], way: Way, items: number): Promise<Map<string, Figures>> {
  const parts = new AsyncDisposableStack()
  try {
    const { bench, nodes, large, small } = await install(parts, way === 'the cluster' ? urls : [urls[0]!])
    const ofMany = small.map((project, i) => ({ project, items: 1 + (i % MOST_ITEMS) }))
    const loads: Record<string, Run[]> = {
      [`${items.toLocaleString('en')} items in one run`]: [{ project: large, items }],
      [`${PROJECTS} projects, each with a run of 1 to ${MOST_ITEMS} items`]: ofMany,
    }
    // Warm-up: the first statements are compiled and planned.
    await through(bench, nodes, [{ project: large, items: 1000 }, ...ofMany])
    const figures = new Map<string, Figures>()
    for (const [name, runs] of Object.entries(loads)) {
      await atRest(bench)
      figures.set(name, await through(bench, nodes, runs))
    }
    await atRest(bench)
    figures.set(`at rest, ${PROJECTS} projects`, await idle(bench, nodes))
    return figures
  } finally {
    await parts.disposeAsync()
  }
}

/** Installs on the one node given, or distributed over all of them. */
async function install(parts: AsyncDisposableStack, urls: readonly string[]): Promise<Installation> {
  const name = `assay_bench_${randomBytes(4).toString('hex')}`
  parts.defer(() => dropDatabase(urls, name))
  const url = await makeDatabase(urls, name)
  const nodes = parts.adopt(await openNodes(urls.map(one => named(one, name))), closeNodes)
  for (const node of nodes) await countStatements(node, name)
  const bench = parts.adopt(await startBench({ database: { url, pid: nodes[0]!.pid ?? 0 } }), one =>
    one.close(),
  )
  const agent = await bench.deployUrl('ndjson')
  const to = { databaseUrl: url, base_url: bench.base_url }
  const made = await makeProjects(to, PROJECTS + CANDIDATES, () => agent.url)
  await bench.sql`update projects set settings = settings || '{"concurrency": 100000}'`
  const wanted = nodes[1]?.port ?? 0
  const large = made.slice(PROJECTS).find(({ port }) => port === wanted)!
  return { bench, nodes, large, small: made.slice(0, PROJECTS) }
}

const named = (url: string, database: string): string => {
  const at = new URL(url)
  at.pathname = `/${database}`
  return at.href
}

async function makeDatabase(urls: readonly string[], name: string): Promise<string> {
  if (urls.length > 1) {
    const url = await makeCluster(urls, name)
    await migrate(url)
    await distribute({ url }, { apply: true, shards: SHARDS, say: () => {} })
    return url
  }
  const sql = postgres(urls[0]!, { max: 1, onnotice: () => {} })
  await sql.unsafe(`create database ${name}`).finally(() => sql.end())
  const url = named(urls[0]!, name)
  await migrate(url)
  return url
}
