// `npm run bench:workerd` measures a read in workerd with kept and with fresh connections. `npm run bench:cold` measures its
// starts.

import { readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startRedis } from '../../infra/local/redis.ts'
import { migrate } from '../../infra/migrate.ts'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { bootstrapAccount } from '../../shared/accounts/verbs/bootstrap.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startWorkerd, workerdFolder } from '../support/workerd.ts'
import { median } from './batch.ts'

const REQUESTS = 300
const MASTER_KEY = 'ab'.repeat(32)

const bundles = await workerdFolder()
const given = await readFile(join(bundles, 'config.capnp'), 'utf8')

async function config(name: string, text: string): Promise<string> {
  await writeFile(join(bundles, name), text)
  return name
}

const agent = new http.Agent({ keepAlive: true })
/** Milliseconds until the answer is complete. */
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
    // Both are measured in turn, so that other load affects both equally.
    times.kept.push(await ask(`${kept.url}/v2/runs`, api_key))
    times.fresh.push(await ask(`${fresh.url}/v2/runs`, api_key))
  }
  const [a, b] = [median(times.kept), median(times.fresh)]
  console.log(
    `GET /v2/runs, ${REQUESTS} in sequence, median: ${a.toFixed(2)} ms by the actor, ${b.toFixed(2)} ms with fresh connections, ${(b / a).toFixed(1)} times`,
  )
  await Promise.all([kept.close(), fresh.close()])
} finally {
  agent.destroy()
  await Promise.all([postgres.stop(), redis.stop()])
  await stores.remove()
}
