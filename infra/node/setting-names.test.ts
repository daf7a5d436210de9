import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SETTING_NAMES, unknownSettings } from './setting-names.ts'

it.each([
  ['ASSAY_TRUSTED_PROXY', 'ASSAY_TRUSTED_PROXIES'],
  ['ASSAY_CONSUMER_MAX', 'ASSAY_CONSUMERS_MAX'],
  ['ASSAY_PORT', 'PORT'],
  ['ASSAY_DATABASE_URL', 'DATABASE_URL'],
])('%s is unknown, and %s is suggested', (name, meant) => {
  expect(unknownSettings({ [name]: 'x' })).toEqual([{ name, meant }])
})

it('an unknown setting that resembles no setting is reported without a suggestion', () => {
  expect(unknownSettings({ ASSAY_SOMETHING_ELSE: 'x' })).toEqual([{ name: 'ASSAY_SOMETHING_ELSE' }])
})

it('settings, their _FILE forms, variables of the command line, empty ones and those of Kubernetes are not reported', () => {
  const names = [
    ...SETTING_NAMES,
    ...SETTING_NAMES.map(name => `${name}_FILE`),
    'ASSAY_API_KEY',
    'ASSAY_PROFILE',
    'PATH',
  ]
  const services = [
    'ASSAY_ROUTER_SERVICE_HOST',
    'ASSAY_ROUTER_SERVICE_PORT_HTTP',
    'ASSAY_ROUTER_PORT',
    'ASSAY_ROUTER_PORT_8080_TCP_ADDR',
    'ASSAY_ROUTER_PORT_8080_TCP',
  ]
  const env = Object.fromEntries([...names, ...services].map(name => [name, 'x']))
  expect(unknownSettings({ ...env, ASSAY_NOTHING_IN_IT: '' })).toEqual([])
})

it('every setting is documented', () => {
  const root = join(import.meta.dirname, '../..')
  const docs = ['infra/README.md', 'infra/telemetry.md', 'infra/proxies.md', 'shared/sdk/PROTOCOL.md']
    .map(name => readFileSync(join(root, name), 'utf8'))
    .join('\n')
  expect(SETTING_NAMES.filter(name => !new RegExp(`\\b${name}\\b`).test(docs))).toEqual([])
})
