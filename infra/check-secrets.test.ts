// Tests that secrets which a pod would lack or refuse are named before anything is given to a cluster.

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { makeAuthority } from '../test/support/certificates.ts'
import { type TempFolder, tempFolder } from '../test/support/temp-folder.ts'
import { faultsOf } from './check-secrets.ts'
import { poolerSecrets } from './pooler-secrets.ts'
import { readValues } from './targets/read-values.ts'
import { SECRETS } from './targets/values.ts'
import { unitKeys } from './unit-keys.ts'

const ROOT = join(import.meta.dirname, '..')
const ITSELF = 'postgres://assay:p@db.internal:5432/assay?sslmode=verify-full'
const POOLED = 'postgres://assay:p@assay-pooler:5432/assay?pgbouncer=true'
const EXAMPLE = parse(readFileSync(join(ROOT, 'infra/values/knative.yaml'), 'utf8'))
const textWith = (...secrets: string[]) => {
  const { prometheus_namespace: _, mail_from, ...example } = EXAMPLE
  const mail = secrets.includes('ASSAY_SMTP_URL') && { mail_from }
  return stringify({ ...example, ...mail, secrets: ['DATABASE_MIGRATE_URL', ...secrets] })
}
const valuesWith = (...secrets: string[]) => readValues('knative', textWith(...secrets), 'mine')

let folder: TempFolder
let ca: string
let whole: Record<string, string>
beforeAll(async () => {
  folder = await tempFolder()
  ca = join(folder.path, 'ca.pem')
  writeFileSync(ca, (await makeAuthority(folder.path, 'ca')).ca)
  whole = {
    DATABASE_URL: POOLED,
    DATABASE_MIGRATE_URL: ITSELF,
    REDIS_URL: 'redis://:p@redis.internal:6379',
    ...poolerSecrets(ITSELF),
    ...(await unitKeys('ab'.repeat(32))),
  }
})
afterAll(() => folder.remove())

it('secrets that are whole are taken', () => {
  expect(faultsOf(valuesWith(), whole, {})).toEqual([])
  expect(faultsOf(valuesWith('DATABASE_CA'), whole, { DATABASE_CA_FILE: ca })).toEqual([])
})

describe('a secret that the values list', () => {
  it.each(Object.keys(SECRETS))('is named if it is missing: %s', name => {
    const given = { ...whole, DATABASE_MIGRATE_URL: name === 'DATABASE_MIGRATE_URL' ? '' : ITSELF }
    const faults = faultsOf(valuesWith(...(name === 'DATABASE_MIGRATE_URL' ? [] : [name])), given, {})
    expect(faults).toEqual([expect.stringContaining(name)])
    expect(faults[0]).toContain(SECRETS[name as keyof typeof SECRETS])
  })

  it.each(['DATABASE_CA', 'REDIS_CA'])(
    'is asked for if its file is named, and it is not listed: %s',
    name => {
      const faults = faultsOf(valuesWith(), whole, { [`${name}_FILE`]: ca })
      expect(faults).toEqual([expect.stringContaining(`list no ${name} among secrets`)])
    },
  )
})

it('every set of keys and every part of the pooler is named if it is missing', () => {
  const names = Object.keys(whole).filter(name => /^(ASSAY_KEYS|POOLER)_/.test(name))
  const without = Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name)))
  expect(faultsOf(valuesWith(), without, {}).sort()).toEqual(names.map(name => `${name} is missing.`).sort())
})

describe('what a unit or a Job would refuse', () => {
  it.each([
    [
      'a CA that is no certificate',
      { DATABASE_CA_FILE: join(ROOT, 'package.json') },
      {},
      ['DATABASE_CA'],
      /PEM/,
    ],
    [
      'a CA file that is not there',
      { DATABASE_CA_FILE: '/nowhere/ca.pem' },
      {},
      ['DATABASE_CA'],
      /\/nowhere\/ca\.pem/,
    ],
    [
      'a URL that asks for no TLS beside a CA',
      { DATABASE_CA_FILE: 'CA' },
      { DATABASE_MIGRATE_URL: ITSELF.split('?')[0]! },
      ['DATABASE_CA'],
      /^DATABASE_MIGRATE_URL .*sslmode=verify-full/,
    ],
    [
      'a file of this machine',
      {},
      { DATABASE_MIGRATE_URL: `${ITSELF}&sslrootcert=/ca.pem` },
      [],
      /^DATABASE_MIGRATE_URL has sslrootcert.*DATABASE_CA_FILE/,
    ],
    ['a URL that is none', {}, { DATABASE_URL: 'db.internal' }, [], /^DATABASE_URL /],
    ['a Redis that is none', {}, { REDIS_URL: 'https://redis' }, [], /REDIS_URL/],
    [
      'a short credential of the operator',
      {},
      { ASSAY_OPERATOR_KEY: 'short' },
      ['ASSAY_OPERATOR_KEY'],
      /^ASSAY_OPERATOR_KEY .*openssl/,
    ],
    ['a mail server that is none', {}, { ASSAY_SMTP_URL: 'mail' }, ['ASSAY_SMTP_URL'], /^ASSAY_SMTP_URL /],
    ['a set of keys that was cut', {}, { ASSAY_KEYS_TICK: 'signing=12' }, [], /^ASSAY_KEYS_TICK /],
  ] as const)('is named in one sentence, without a secret: %s', (_, env, own, secrets, sentence) => {
    const files = 'DATABASE_CA_FILE' in env && env.DATABASE_CA_FILE === 'CA' ? { DATABASE_CA_FILE: ca } : env
    const faults = faultsOf(valuesWith(...secrets), { ...whole, ...own }, files)
    expect(faults).toEqual([expect.stringMatching(sentence)])
    expect(faults.join()).not.toMatch(/:p@|short'|signing=12/)
  })
})

it('the command ends with 2 and the sentences, and with 0 for secrets that are whole', () => {
  const [values, secrets] = [join(folder.path, 'values.yaml'), join(folder.path, 'secrets.env')]
  writeFileSync(
    secrets,
    Object.entries(whole)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const check = (...listed: string[]) => {
    writeFileSync(values, textWith(...listed))
    const args = ['infra/check-secrets.ts', '--target', 'knative', '--values', values, secrets]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
    return [status, stdout, stderr]
  }
  expect(check()).toEqual([0, '', ''])
  expect(check('DATABASE_CA')).toEqual([
    2,
    '',
    expect.stringMatching(/\n {2}DATABASE_CA is among .*DATABASE_CA_FILE=FILE/),
  ])
})
