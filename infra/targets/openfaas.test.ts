// Reads the files generated for OpenFaaS as faas-cli and our own functions do.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { generatedFiles, readGenerated } from '../../test/support/generated.ts'
import { objectsIn } from '../../test/support/kubernetes.ts'
import { FunctionIngress, Stack } from '../../test/support/openfaas.ts'
import { readSettings } from '../node/settings.ts'
import { RUNTIME, UNITS } from './image.ts'
import { filesOf, readExample } from './installation.ts'
import type { OpenfaasValues } from './values.ts'

const read = (name: string) => readGenerated('openfaas', name)
const written = () => parse(read('stack.yml'), { version: '1.1' })
const example = await readExample('openfaas')
const made = (values: Partial<OpenfaasValues>) =>
  new Map(filesOf('openfaas', { ...example, ...values }, 'a test'))
const stack = Stack.parse(written())
const functions = Object.entries(stack.functions)
const ofUnit = (unit: string) => functions.filter(([, one]) => one.environment.FUNCTION === unit)

describe('the stack', () => {
  it('has each unit, the router and the runtime once, and at most the 15 functions that an installation may have', () => {
    for (const unit of ['router', RUNTIME, ...UNITS.map(unit => unit.name)]) {
      expect(ofUnit(unit).map(([name]) => name)).toEqual([`assay-${unit}`])
    }
    expect(functions).toHaveLength(UNITS.length + 2)
    expect(functions.length).toBeLessThanOrEqual(15)
  })

  it('gives only the consumer the URL of the runtime', () => {
    const led = functions.filter(([, one]) => one.environment.ASSAY_RUNTIME_URL)
    expect(led).toEqual(ofUnit('consume'))
    const [, , name] = new URL(led[0]![1].environment.ASSAY_RUNTIME_URL!).pathname.split('/')
    expect(stack.functions[name!]!.environment.FUNCTION).toBe(RUNTIME)
  })

  it('exposes metrics at the tick, the only function with the metrics token', () => {
    const having = functions.filter(([, one]) => one.secrets?.includes('assay-metrics-token'))
    expect(having).toEqual(ofUnit('tick'))
    const [job] = parse(read('prometheus.yml')).scrape_configs
    expect(job.metrics_path).toBe(`/function/${having[0]![0]}/metrics`)
  })

  it('points the router and all notifications at existing functions', () => {
    const urls = functions.flatMap(([, { environment }]) => [
      ...(environment.ASSAY_CONSUMER_URL ? [environment.ASSAY_CONSUMER_URL] : []),
      ...UNITS.flatMap(unit => environment.ASSAY_UNIT_URL?.replace('{unit}', unit.name) ?? []),
    ])
    const functionsWith = (setting: 'ASSAY_UNIT_URL' | 'ASSAY_CONSUMER_URL') =>
      functions.flatMap(([, { environment }]) => (environment[setting] ? [environment.FUNCTION] : []))
    expect(functionsWith('ASSAY_UNIT_URL')).toEqual(['router'])
    const notifying = UNITS.map(({ name }) => name).filter(name => !['docs', 'health'].includes(name))
    expect(functionsWith('ASSAY_CONSUMER_URL')).toEqual(notifying)
    for (const url of urls) expect(stack.functions).toHaveProperty(new URL(url).pathname.split('/')[2]!)
  })

  it('calls only the tick by cron', () => {
    const called = functions.filter(([, one]) => one.annotations.topic).map(([name]) => name)
    expect(called).toEqual(['assay-tick'])
  })
})

describe('the settings of a function', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are read from where its secrets are mounted', () => {
    const [, { secrets, environment }] = ofUnit('runs')[0]!
    for (const name of secrets!) writeFileSync(join(folder, name), `value of ${name}\n`)
    const own = Object.entries(environment as Record<string, string>).map(([name, value]) =>
      name.endsWith('_FILE') ? [name, join(folder, basename(value))] : [name, value],
    )
    const settings = readSettings(Object.fromEntries(own), folder)
    const needed = ['DATABASE_URL', 'REDIS_URL', 'ASSAY_KEYS', 'BASE_URL', 'ASSAY_CONSUMER_URL'] as const
    for (const name of needed) expect(settings.need(name)).not.toBe('')
  })

  it('contain no secret for the router', () => {
    expect(ofUnit('router')[0]![1].secrets).toBeUndefined()
  })
})

it('the ingress leads straight to the router, or through the gateway where the router may scale to zero', () => {
  const objects = objectsIn(read('ingress.yaml'))
  const straight = objects.find(({ kind }) => kind === 'Ingress')!.spec.rules[0]
  expect([straight.host, straight.http.paths[0].backend.service.name]).toEqual([
    'assay.example.com',
    'assay-router',
  ])

  const asleep = made({ edition: 'standard', copies: { min: 0, max: 4 } }).get('ingress.yaml')!
  const { spec } = FunctionIngress.parse(parse(asleep, { version: '1.1' }))
  expect(stack.functions[spec.function]!.environment.FUNCTION).toBe('router')
  expect('/v1/agents/a/runs'.replace(new RegExp(`^${spec.path}$`), '/function/r/$1')).toBe(
    '/function/r/v1/agents/a/runs',
  )
})

it('the generated folder holds exactly the objects made from the example', () => {
  const files = filesOf('openfaas', example, 'infra/values/openfaas.yaml').map(([name]) => name)
  expect(generatedFiles('openfaas').toSorted()).toEqual(
    files.filter(name => name.endsWith('.yaml')).toSorted(),
  )
})

it('the network policy restricts the callers of every function except the router', () => {
  const [inwards] = objectsIn(read('network-policies.yaml'))
  const named: string[] = inwards!.spec.podSelector.matchExpressions[0].values
  expect([...named, 'assay-router'].toSorted()).toEqual(functions.map(([name]) => name).toSorted())
})

// biome-ignore lint/suspicious/noExplicitAny: what is broken here has no type
type Broken = any
const BREAKS: [what: string, breakIt: (tick: Broken, stack: Broken) => void][] = [
  ['a misspelt key', tick => (tick.readonly_root_filesytem = true)],
  ['a number among the settings', tick => (tick.environment.PORT = 3000)],
  ['a misspelt setting of the watchdog', tick => (tick.environment.exec_timout = '55s')],
  ['a time without its unit', tick => (tick.environment.write_timeout = '60')],
  ['a misspelt label', tick => (tick.labels['com.openfaas.scale.zero-duratoin'] = '5m')],
  ['a misspelt annotation', tick => (tick.annotations.schedul = '* * * * *')],
  ['a schedule that is not every minute', tick => (tick.annotations.schedule = '* * * *')],
  ['a name with an underscore', (tick, stack) => (stack.functions.assay_tick = tick)],
  ['a misspelt provider', (_, stack) => (stack.provider.name = 'openfass')],
  ['a secret whose name is a path', tick => tick.secrets.push('assay/database-url')],
]
it.each(BREAKS)('%s is found', (_, breakIt) => {
  const broken = written()
  breakIt(broken.functions['assay-tick'], broken)
  expect(Stack.safeParse(broken).success).toBe(false)
})
