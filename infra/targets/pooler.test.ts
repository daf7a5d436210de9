// Tests that the pooler in front of PostgreSQL gets the settings that its image reads.

import { describe, expect, it } from 'vitest'
import { type KubernetesObject, objectsIn } from '../../test/support/kubernetes.ts'
import { poolerSecrets } from '../pooler-secrets.ts'
import { filesOf, readExample } from './installation.ts'
import { secretOf } from './knative-objects.ts'
import { secretName } from './openfaas.ts'

const [openfaas, knative] = [await readExample('openfaas'), await readExample('knative')]

it('a database URL is split into decoded parts, without parameters after the database name except sslmode', () => {
  expect(poolerSecrets('postgres://a%20b:p%40ss%2Fw%3Ard@db.internal:6432/assay?sslmode=require')).toEqual({
    POOLER_HOST: 'db.internal',
    POOLER_PORT: '6432',
    POOLER_USER: 'a b',
    POOLER_PASSWORD: 'p@ss/w:rd',
    POOLER_DATABASE: 'assay',
    POOLER_TLS: 'require',
  })
  expect(poolerSecrets('postgres://a:b@db/assay')).toMatchObject({
    POOLER_PORT: '5432',
    POOLER_TLS: 'prefer',
  })
  expect(poolerSecrets('postgres://a:b@[fd00::5]/assay').POOLER_HOST).toBe('fd00::5')
})

it('with a CA the pooler verifies who signed, also where the URL says require', () => {
  const modeOf = (mode: string, hasCa: boolean) =>
    poolerSecrets(`postgres://a:b@db/assay?sslmode=${mode}`, hasCa).POOLER_TLS
  expect([modeOf('require', true), modeOf('require', false)]).toEqual(['verify-ca', 'require'])
  expect([modeOf('verify-full', true), modeOf('disable', true)]).toEqual(['verify-full', 'disable'])
  expect(() => poolerSecrets('postgres://a:b@db/assay?sslrootcert=/ca.pem')).toThrow('DATABASE_CA_FILE')
})

interface Variable {
  name: string
  value?: string
  valueFrom?: { secretKeyRef: { name: string; key: string } }
}

function podOf(text: string | undefined) {
  const deployment: KubernetesObject = objectsIn(text!).find(({ kind }) => kind === 'Deployment')!
  const { containers, volumes } = deployment.spec.template.spec
  return { env: containers[0].env as Variable[], mounts: containers[0].volumeMounts, volumes }
}
const SECRETS = Object.keys(poolerSecrets('postgres://a:b@db/assay'))

describe.each([
  {
    platform: 'OpenFaaS',
    made: (secrets = openfaas.secrets) =>
      new Map(filesOf('openfaas', { ...openfaas, secrets }, 'a test')).get('pooler.yaml'),
    placeOf: (secret: string) => ({ name: secretName(openfaas, secret), key: secretName(openfaas, secret) }),
  },
  {
    platform: 'Knative',
    made: (secrets = knative.secrets) =>
      new Map(filesOf('knative', { ...knative, secrets }, 'a test')).get('pooler.yaml'),
    placeOf: (secret: string) => ({ name: secretOf(knative), key: secret }),
  },
])('the pooler on $platform', ({ made, placeOf }) => {
  it('gets every part of the URL from its secret, and no URL', () => {
    const { env, volumes } = podOf(made())
    expect(env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])).toEqual(SECRETS.map(placeOf))
    expect(env.map(({ name }) => name)).not.toContain('DATABASE_URL')
    expect(volumes).toBeUndefined()
  })

  it('uses the CA of PostgreSQL if there is one', () => {
    const { env, mounts, volumes } = podOf(made([...openfaas.secrets, 'DATABASE_CA']))
    const { value } = env.find(({ name }) => name === 'SERVER_TLS_CA_FILE')!
    const { name, key } = placeOf('DATABASE_CA')
    const [{ secret }] = volumes
    expect([secret.secretName, secret.items]).toEqual([name, [{ key, path: 'ca.pem' }]])
    expect(value).toBe(`${mounts[0].mountPath}/ca.pem`)
  })
})
