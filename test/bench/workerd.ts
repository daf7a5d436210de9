// `npm run bench:workerd`: what a read costs in workerd with connections that are kept and with fresh ones, and how
// long each unit takes from the start of a process of its own to its first answer, with its first query in it; also in
// time of a processor, which a busy machine changes less.

import { readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startRedis } from '../../infra/local/redis.ts'
import { migrate } from '../../infra/migrate.ts'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import type { Unit } from '../../infra/packaging.ts'
import { UNITS } from '../../infra/targets/image.ts'
import { bootstrapAccount } from '../../shared/engine/bootstrap.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startWorkerd, workerdFolder } from '../support/workerd.ts'
import { median } from './batch.ts'

const REQUESTS = 300
const ROUNDS = 5
const NO_ID = '01900000-0000-7000-8000-000000000000'
const MASTER_KEY = 'ab'.repeat(32)

const bundles = await workerdFolder()
const given = await readFile(join(bundles, 'config.capnp'), 'utf8')

async function config(name: string, text: string): Promise<string> {
  await writeFile(join(bundles, name), text)
  return name
}

/** The unit by itself: its worker as it is generated, but for the queue, and what its process reaches. */
function alone({ name }: Unit): string {
  const around = given.slice(given.indexOf('    (name = "internet"'), given.indexOf('    (name = "router"'))
  const worker = new RegExp(`^const ${name} [^]*?^\\);\n`, 'm')
    .exec(given)![0]
    .replace(/.*name = "WAKE".*\n/, '')
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
${around}    (name = "unit", worker = .${name}),
  ],
  sockets = [
    (name = "metrics", address = "127.0.0.1:0", http = (), service = "unit"),
    (name = "http", address = "*:0", http = (), service = "unit"),
  ],
);
${worker}`
}

const agent = new http.Agent({ keepAlive: true })
/** Milliseconds until the answer is whole. */
function ask(url: string, bearer: string): Promise<number> {
  const asked = performance.now()
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent, headers: { authorization: `Bearer ${bearer}` } }, response => {
        if (response.statusCode! >= 500) reject(new Error(`${url} answered ${response.statusCode}`))
        response.resume().once('end', () => resolve(performance.now() - asked))
      })
      .once('error', reject)
  })
}

/** Its own and the kernel's on its behalf, which /proc counts in hundredths of a second; NaN where there is no /proc. */
async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

const stores = await tempFolder()
const at = { dataDir: stores.path }
const [postgres, redis] = await Promise.all([startPostgres(at), startRedis(at)])
try {
  await migrate(postgres.url)
  const connections = openConnections({ databaseUrl: postgres.url, redisUrl: redis.url })
  const ctx = createContext({ connections, config: { base_url: '', master_key: MASTER_KEY } })
  const { api_key } = await bootstrapAccount(ctx)
  await connections.close()
  const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, ASSAY_MASTER_KEY: MASTER_KEY }

  const kept = await startWorkerd(env)
  const fresh = await startWorkerd(
    env,
    await config('fresh.capnp', given.replaceAll(/.*name = "HOST".*\n/g, '')),
  )
  const times = { kept: [] as number[], fresh: [] as number[] }
  for (let n = 0; n < REQUESTS; n++) {
    // In turns, so that a machine that is busy for a while is so for both.
    times.kept.push(await ask(`${kept.url}/v2/runs`, api_key))
    times.fresh.push(await ask(`${fresh.url}/v2/runs`, api_key))
  }
  const [a, b] = [median(times.kept), median(times.fresh)]
  console.log(
    `GET /v2/runs, ${REQUESTS} in sequence, median: ${a.toFixed(2)} ms by the actor, ${b.toFixed(2)} ms with fresh connections, ${(b / a).toFixed(1)} times`,
  )
  await Promise.all([kept.close(), fresh.close()])

  console.log('\n| unit | fastest | median | processor | asked |\n|---|---|---|---|---|')
  for (const unit of UNITS.filter(unit => unit.platform === undefined)) {
    const reads = unit.endpoints.filter(one => one.method === 'get').map(one => one.path)
    const read =
      reads.find(path => path === '/health/ready') ?? reads.find(path => !path.includes('{')) ?? reads[0]
    const path = read?.replaceAll(/\{\w+\}/g, NO_ID) ?? '/openapi.json'
    const file = await config(`alone-${unit.name}.capnp`, alone(unit))
    const starts: number[] = []
    const cpu: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now()
      const workerd = await startWorkerd(env, file)
      await ask(workerd.url + path, api_key)
      starts.push(performance.now() - started)
      cpu.push(await cpuOf(workerd.child.pid!))
      await workerd.close()
    }
    const figures = [Math.min(...starts), median(starts), median(cpu)].map(ms => `${ms.toFixed(0)} ms`)
    console.log(`| ${[unit.name, ...figures, `GET ${path}`].join(' | ')} |`)
  }
} finally {
  agent.destroy()
  await Promise.all([postgres.stop(), redis.stop()])
  await stores.remove()
}
