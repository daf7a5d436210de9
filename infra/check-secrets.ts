// Checks the secrets of an installation on OpenFaaS or Knative against its values, before they are given to the cluster.
// Guarantee: a secret that is missing, or that a unit or Job would refuse, is named in one sentence; no secret is printed.
// Usage: node infra/check-secrets.ts --target openfaas|knative --values FILE SECRETS, with the files of CAs in the
// environment, by DATABASE_CA_FILE and REDIS_CA_FILE

import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { isKeySet } from '../shared/kernel/secrets.ts'
import { ExitError } from './local/exit-error.ts'
import { mailFrom } from './node/mail.ts'
import { postgresOptions } from './node/postgres-options.ts'
import { partsOf } from './node/redis.ts'
import { migrationTarget, operatorKeyFrom, readSettings } from './node/settings.ts'
import { type PoolerSecret, poolerSecrets } from './pooler-secrets.ts'
import { readValues, ValuesRefused } from './targets/read-values.ts'
import { type ImageValues, SECRETS } from './targets/values.ts'
import { KEY_SETS, type KeySet, keySecretOf } from './unit-settings.ts'

type Texts = Record<string, string | undefined>

const CAS = ['DATABASE_CA', 'REDIS_CA'] as const
const POOLER = Object.keys(poolerSecrets('postgres://a:b@c/d')) as PoolerSecret[]
const KEYS = (Object.keys(KEY_SETS) as KeySet[]).map(keySecretOf)

/** What is wrong with the secrets, a sentence each. */
export function faultsOf(values: ImageValues, given: Texts, env: Texts): string[] {
  const faults: string[] = []
  const listed: readonly string[] = values.secrets
  for (const name of CAS) {
    if (env[`${name}_FILE`] && !listed.includes(name))
      faults.push(
        `${name}_FILE is set, and the values list no ${name} among secrets, so that no pod gets it: add it there and repeat step 3, or unset ${name}_FILE.`,
      )
    if (!env[`${name}_FILE`] && listed.includes(name))
      faults.push(`${name} is among the secrets of the values: export ${name}_FILE=FILE, ${purposeOf(name)}.`)
  }
  const files: readonly string[] = CAS
  const needed = ['DATABASE_URL', 'REDIS_URL', ...KEYS, ...(values.pooler ? POOLER : []), ...listed]
  for (const name of needed.filter(one => !files.includes(one)))
    if (!given[name]) faults.push(`${name} is missing${purposeOf(name) && `: ${purposeOf(name)}`}.`)
  return faults.length > 0 ? faults : refusals(values, given, env)
}

const purposeOf = (name: string) => (SECRETS as Texts)[name] ?? ''

/** What the units and Jobs would refuse when they start. */
function refusals(values: ImageValues, given: Texts, env: Texts): string[] {
  const files = Object.fromEntries(CAS.map(name => [`${name}_FILE`, env[`${name}_FILE`]]))
  const settings = readSettings({ ...given, ...files, ASSAY_MAIL_FROM: values.mail_from })
  const ca = () => settings.get('DATABASE_CA')
  const checks = [
    () => void postgresOptions({ url: withoutFile(given, 'DATABASE_URL'), ca: ca() }),
    () =>
      void (
        given.DATABASE_MIGRATE_URL &&
        withoutFile(given, 'DATABASE_MIGRATE_URL') &&
        migrationTarget(settings)
      ),
    () => void partsOf({ url: given.REDIS_URL!, ca: settings.get('REDIS_CA') }),
    () => void operatorKeyFrom(settings),
    () => void mailFrom(settings),
    ...KEYS.map(name => () => {
      if (!isKeySet(given[name]!)) throw new ExitError('setting_invalid', `${name} holds no set of keys.`)
    }),
  ]
  return [...new Set(checks.flatMap(refusalOf))]
}

function refusalOf(check: () => void): string[] {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof ExitError) return [error.message]
    throw error
  }
}

/** The URL, which must not name a file of this machine. */
function withoutFile(given: Texts, name: string): string {
  const text = given[name]!
  if (!URL.parse(text)?.searchParams.has('sslrootcert')) return text
  throw new ExitError(
    'database_url_unusable',
    `${name} has sslrootcert, a file that pods do not have: leave it out, export DATABASE_CA_FILE=FILE, and list DATABASE_CA among the secrets of the values.`,
  )
}

const textsIn = (file: string): Texts =>
  Object.fromEntries(
    file
      .split('\n')
      .filter(line => line.includes('='))
      .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

async function main(): Promise<void> {
  const { values: options, positionals } = parseArgs({
    options: { target: { type: 'string' }, values: { type: 'string' } },
    allowPositionals: true,
  })
  const [secrets] = positionals
  const { target, values } = options
  if ((target !== 'openfaas' && target !== 'knative') || values === undefined || secrets === undefined)
    throw new ValuesRefused(
      'Usage: node infra/check-secrets.ts --target openfaas|knative --values FILE SECRETS',
    )
  const read = readValues(target, await readFile(values, 'utf8'), values)
  const faults = faultsOf(read, textsIn(await readFile(secrets, 'utf8')), process.env)
  if (faults.length > 0)
    throw new ValuesRefused([`${secrets} is not what ${values} needs:`, ...faults].join('\n  '))
}

if (import.meta.main) {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof ValuesRefused)) throw error
    console.error(error.message)
    process.exitCode = 2
  }
}
