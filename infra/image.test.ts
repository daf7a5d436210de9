// Tests the image and compose.yaml without Docker: everything they name must exist.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { COMMAND, MIGRATE_COMMAND, SERVER_COMMAND } from './targets/image.ts'
import { unitKeys } from './unit-keys.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

describe('the Dockerfile', () => {
  const lines = read('Dockerfile').split('\n')
  const stages = lines.flatMap(line => /^FROM \S+ AS (\S+)$/.exec(line)?.[1] ?? [])

  it('copies only files that exist and that .dockerignore allows', () => {
    const allowed = read('Dockerfile.dockerignore')
      .split('\n')
      .flatMap(line => (line.startsWith('!') ? [line.slice(1)] : []))
    const sources = lines.flatMap(line =>
      (/^COPY (?!--from)(.+) \S+$/.exec(line)?.[1] ?? '').split(' ').filter(Boolean),
    )
    expect(sources.length).toBeGreaterThan(3)
    for (const source of sources) {
      expect([source, existsSync(join(ROOT, source))]).toEqual([source, true])
      expect(allowed).toContain(source)
    }
  })

  it('copies only from its own stages, and starts fwatchdog', () => {
    for (const line of lines) {
      const from = /^COPY --from=(\S+)/.exec(line)?.[1]
      if (from !== undefined) expect(stages).toContain(from)
    }
    expect(lines.at(-2)).toBe('CMD ["fwatchdog"]')
  })

  it('makes everything it contains readable for everyone, whatever the umask of the checkout', () => {
    const last = lines.slice(lines.findLastIndex(line => line.startsWith('FROM ')))
    const copied = last.filter(line => line.startsWith('COPY '))
    expect(copied.filter(line => !line.startsWith('COPY --from='))).toEqual([])
    expect(lines.find(line => line.includes('infra/image.ts'))).toMatch(/ && chmod -R a\+rX \/app \/drizzle$/)
  })

  it('builds the programs that the targets start', () => {
    const programs = read('image.ts')
    for (const [, path] of [COMMAND, MIGRATE_COMMAND, SERVER_COMMAND]) {
      const name = /^\/app\/([a-z-]+)\.mjs$/.exec(path!)![1]
      expect(programs).toMatch(new RegExp(`^ +'?${name}'?: '`, 'm'))
    }
  })

  it('uses the major version of Node that the project is tested with', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(lines.filter(line => line.startsWith('FROM node:'))).toSatisfy((froms: string[]) =>
      froms.every(from => from.startsWith(`FROM node:${dependencies.node.split('.')[0]}-`)),
    )
  })
})

describe('compose.yaml', () => {
  const file = parse(read('compose.yaml'), { merge: true })
  const services: [string, Record<string, unknown>][] = Object.entries(file.services)
  const KEYS = [
    ...[
      'image',
      'build',
      'command',
      'environment',
      'secrets',
      'volumes',
      'ports',
      'healthcheck',
      'depends_on',
    ],
    ...[
      'restart',
      'pull_policy',
      'stop_grace_period',
      'read_only',
      'tmpfs',
      'cap_drop',
      'security_opt',
      'init',
    ],
    ...['networks', 'mem_limit', 'pids_limit'],
  ]

  it('uses only keys that Compose knows', () => {
    expect(Object.keys(file).toSorted()).toEqual(['name', 'networks', 'secrets', 'services', 'volumes'])
    for (const [name, service] of services) {
      expect([name, Object.keys(service).filter(key => !KEYS.includes(key))]).toEqual([name, []])
    }
  })

  it('defines exactly the secrets, volumes and networks that its services use, and the services they depend on', () => {
    const named = (key: string) =>
      services.flatMap(([, service]) => (service[key] as string[] | undefined) ?? [])
    expect(new Set(named('secrets'))).toEqual(new Set(Object.keys(file.secrets)))
    expect(new Set(named('volumes').map(volume => volume.split(':')[0]))).toEqual(
      new Set(Object.keys(file.volumes)),
    )
    expect(new Set(named('networks'))).toEqual(new Set(Object.keys(file.networks)))
    for (const [, { depends_on = {} }] of services) {
      for (const name of Object.keys(depends_on as object)) expect(Object.keys(file.services)).toContain(name)
    }
  })

  it('gives the runtime and the migration no more secrets and networks than they need', () => {
    const secretsOf = (name: string) => file.services[name].secrets
    expect(secretsOf('runtime')).toEqual(['keys-runtime'])
    expect(file.services.runtime.networks).toEqual(['agents'])
    for (const store of ['postgres', 'redis']) expect(file.services[store].networks).not.toContain('agents')
    expect(secretsOf('migrate')).toEqual(['database-url'])
  })

  it('gets all its secrets from the commands in the README', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-compose-'))
    const [, commands] = /## One machine with Docker\n\n```sh\n([\s\S]*?)docker compose/.exec(
      read('README.md'),
    )!
    execFileSync('sh', ['-e', '-c', commands!.replace(/^cd infra && /, '')], { cwd: folder })
    const made = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8').trim()
    for (const name of Object.keys(file.secrets)) expect(made(name), name).not.toBe('')
    expect(made('keys-runtime')).toBe((await unitKeys(made('master-key'))).ASSAY_KEYS_RUNTIME)
    rmSync(folder, { recursive: true })
  })

  it('mounts every secret that a service reads from a file', () => {
    for (const [, { environment = {}, secrets = [] }] of services) {
      for (const [name, value] of Object.entries(environment as Record<string, string>)) {
        if (name.endsWith('_FILE')) expect(secrets).toContain(value.replace('/run/secrets/', ''))
      }
    }
  })
})
