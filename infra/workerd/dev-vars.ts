// Writes .dev.vars, the settings and secrets that `wrangler dev` binds to the worker, from the stack that `npm start`
// runs here: its stores, its master key, its metrics' token. The environment goes before what the data folder has.
// Guarantee: the file is readable only by its owner, is replaced completely or not at all, and lies beside a
// wrangler.toml.
// Usage, in the checkout: node infra/workerd/dev-vars.ts [--port PORT-OF-WRANGLER]

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { knownMasterKey, operatorKeyIn, readJson, writePrivately } from '../local/data-folder.ts'
import { ExitError, endOf } from '../local/exit-error.ts'
import { redisUrlIn } from '../local/redis.ts'
import { readRemembered, urlOf } from '../local/remembered.ts'
import { installationFrom, readSettings } from '../node/settings.ts'

const FILE = '.dev.vars'
const PORT = '8787' // Wrangler's own

async function devVars(): Promise<string> {
  const { port } = optionsOf()
  if (!existsSync('wrangler.toml'))
    throw new ExitError(
      'no_wrangler_toml',
      `Wrangler reads ${FILE} beside wrangler.toml: run this in the checkout.`,
    )
  const settings = readSettings(process.env)
  const folder = resolve(settings.get('ASSAY_DATA_DIR') ?? '.assay')
  const remembered = await readRemembered(folder)
  const database = settings.get('DATABASE_URL') ?? (remembered?.port && urlOf(remembered))
  const redis = settings.get('REDIS_URL') ?? (await redisUrlIn(folder))
  const key = await knownMasterKey(folder, settings.get('ASSAY_MASTER_KEY'))
  if (!database || !redis || !key) {
    throw new ExitError(
      'no_installation',
      `${folder} holds no stack that was started. Start one by npm start in another terminal, or set ASSAY_DATA_DIR to its data folder.`,
    )
  }
  const stack = await readJson<{ metrics_token?: string }>(join(folder, 'local.json'))
  return linesOf({
    DATABASE_URL: database,
    REDIS_URL: redis,
    ASSAY_MASTER_KEY: key,
    ASSAY_INSTALLATION: installationFrom(settings) ?? '',
    ASSAY_OPERATOR_KEY: settings.get('ASSAY_OPERATOR_KEY') ?? (await operatorKeyIn(folder)),
    ASSAY_METRICS_TOKEN: settings.get('ASSAY_METRICS_TOKEN') ?? stack?.metrics_token ?? '',
    BASE_URL: `http://127.0.0.1:${port}`,
    ASSAY_CONSUMER_URL: '', // the consumer of `npm start` is always awake, and listens to Redis
    ASSAY_TEST_SCHEDULED: 'true',
  })
}

/** In single quotes nothing is expanded; a quote in a URL may be escaped as any other sign. */
const linesOf = (vars: Record<string, string>) =>
  Object.entries(vars)
    .map(([name, value]) => `${name}='${value.replaceAll("'", '%27')}'\n`)
    .join('')

function optionsOf(): { port: string } {
  try {
    return parseArgs({ options: { port: { type: 'string', default: PORT } } }).values
  } catch (error) {
    throw new ExitError('unknown_option', (error as Error).message)
  }
}

try {
  await writePrivately(FILE, await devVars())
  console.log(`wrote ${FILE}`)
} catch (error) {
  const { line, code } = endOf(error)
  console.error(line)
  process.exitCode = code
}
