// Tests which values of an installation are accepted, and the errors for the others.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { writeInstallation } from './installation.ts'
import { readValues, ValuesRefused, valuesOf } from './read-values.ts'
import { TARGETS, type Target } from './values.ts'

const ROOT = join(import.meta.dirname, '../..')
const exampleOf = (target: Target) => readFileSync(join(ROOT, `infra/values/${target}.yaml`), 'utf8')

function refusal(target: Target, text: string): string {
  try {
    readValues(target, text, 'mine.yaml')
  } catch (error) {
    expect(error).toBeInstanceOf(ValuesRefused)
    return (error as Error).message
  }
  throw new Error('it was taken')
}

describe.each(TARGETS)('the values for %s', target => {
  const text = exampleOf(target)
  const values = valuesOf(target)

  it('all have a stated purpose', () => {
    expect(values.filter(({ purpose }) => !purpose)).toEqual([])
  })

  it('are all in the example if they are required', () => {
    const given = parse(text)
    const at = (name: string) => name.split('.').reduce((value, key) => value?.[key], given)
    const missing = values.filter(({ name, otherwise }) => otherwise === undefined && at(name) === undefined)
    expect(missing).toEqual([])
    expect(() => readValues(target, text, 'example')).not.toThrow()
  })

  it('are each reported by name when they are missing', () => {
    const message = refusal(target, '')
    const needed = values.filter(({ name, otherwise }) => otherwise === undefined && !name.includes('.'))
    for (const { name, purpose } of needed) expect(message).toContain(`${name} is missing: ${purpose}`)
  })

  it('are refused by name when they are unknown', () => {
    expect(refusal(target, `${text}\nhostname: x\n`)).toContain('hostname is not known')
  })
})

it.each([
  [
    'a malformed network',
    'agent_networks: [10.0.0.0]',
    /agent_networks\.0: "10\.0\.0\.0" is not a network .*agents may reach/,
  ],
  [
    'a time that is too long',
    'consumer_seconds: 900',
    /consumer_seconds: 900 is wrong .*one invocation of the consumer works/,
  ],
  [
    'an image without a tag',
    'image: registry.example.com/assay',
    /image: .* is not an image with its registry and tag/,
  ],
  ['a mail server without a sender address', 'mail_from: null', /mail_from/],
  [
    'a pooler without the URL of PostgreSQL',
    '- DATABASE_MIGRATE_URL',
    /secrets: DATABASE_MIGRATE_URL is missing beside pooler/,
  ],
  [
    'a packaging with more functions than the edition allows',
    'packaging: endpoint',
    /packaging: endpoint has more functions than the 15/,
  ],
  ['a file that is not YAML', 'image: [', /mine\.yaml is no YAML/],
])('%s is refused, with a description of the value', (_, line, expected) => {
  const [key] = line.split(':')
  const there = new RegExp(`^ *${key}.*$`, 'm')
  const text = exampleOf('openfaas')
  expect(text).toMatch(there)
  expect(refusal('openfaas', text.replace(there, line.includes(':') ? line : ''))).toMatch(expected)
})

it.each([
  ['with a capital', 'Staging', /installation: "Staging" is not a name of at most 16 .* shares its Redis/],
  ['of 17 characters', 'x'.repeat(17), /installation: "x{17}" is not a name of at most 16 /],
  [
    'that leads to names of another installation',
    'list',
    /installation: list would make assay-list-\w+, which another installation may have: take another name/,
  ],
])('a name of the installation %s is refused', (_, name, expected) => {
  expect(refusal('openfaas', `${exampleOf('openfaas')}\ninstallation: ${name}\n`)).toMatch(expected)
})

describe('the files of an installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-values-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const out = join(folder, 'out')

  it('name the values they were made from, and replace files made from other values', async () => {
    const example = join(ROOT, 'infra/values/knative.yaml')
    const mine = join(folder, 'mine.yaml')
    writeFileSync(mine, readFileSync(example, 'utf8').replace('keda: false', 'keda: true'))
    await writeInstallation('knative', mine, out)
    const [head] = readFileSync(join(out, 'consumer.yaml'), 'utf8').split('\n')
    expect(head).toMatch(/^# Made from .*mine\.yaml by Assay \d+\.\d+\.\d+; change the values, not this\.$/)

    writeFileSync(join(out, 'own.yaml'), 'kind: Mine\n')
    await writeInstallation('knative', example, out)
    expect(existsSync(join(out, 'consumer.yaml'))).toBe(false)
    expect(readdirSync(out)).toContain('own.yaml')
  })

  it('are not written while a value is missing, and each missing value is reported', () => {
    const empty = join(folder, 'empty.yaml')
    writeFileSync(empty, '')
    const args = ['--target', 'workerd', '--values', empty, '--out', join(folder, 'none')]
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'infra/generate.ts'), ...args], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([2, expect.stringContaining('base_url is missing')])
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })
})
