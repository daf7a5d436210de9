// Every bundle for workerd, loaded by the oldest and the newest workerd of twelve months, and by those that Assay,
// Wrangler and Miniflare pin. The first two are installed into test/workerds; each is 130 MB.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { copyFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { text } from '../../../infra/runtime/workerd-config.ts'
import { ROUTER, UNITS } from '../../../infra/targets/image.ts'
import { writeWhole, writeWorkerd } from '../../../infra/workerd/bundle.ts'
import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from '../../../infra/workerd/compatibility.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const FOLDER = join(import.meta.dirname, '../../workerds')
const PATIENCE_MS = 60_000

function install(): void {
  const lock = readFileSync(join(FOLDER, 'package-lock.json'), 'utf8')
  const mark = join(FOLDER, 'node_modules/.installed')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'pipe' })
  writeFileSync(mark, lock)
}
install()

const own = createRequire(import.meta.url)
const installed = createRequire(join(FOLDER, 'package.json'))
const from = (dependent: string, require = own) => createRequire(require.resolve(`${dependent}/package.json`))
const WORKERDS = {
  'the oldest': found(installed, 'oldest'),
  'the newest': found(installed, 'newest'),
  "Assay's": found(own),
  "Miniflare's": found(from('miniflare')),
  "Wrangler's": found(from('miniflare', from('wrangler'))),
}

/** The workerd that a package gets by this name. */
function found(require: NodeJS.Require, name = 'workerd') {
  const { version } = require(`${name}/package.json`) as { version: string }
  return { version, program: (require(name) as { default: string }).default }
}

const releasedAt = (version: string) => version.replace(/^1\.(\d{4})(\d\d)(\d\d)\..*/, '$1-$2-$3')

it('The compatibility date is the release of the oldest workerd, about a year before the newest or earlier', () => {
  const released = Object.values(WORKERDS).map(({ version }) => releasedAt(version))
  expect(COMPATIBILITY_DATE).toBe(released.toSorted()[0])
  const days = (Date.parse(released.toSorted().at(-1)!) - Date.parse(COMPATIBILITY_DATE)) / 86_400_000
  expect(days).toBeGreaterThan(340)
})

/** Loads a bundle under the guard. */
const mainOf = (name: string) => `import { loaded } from 'guard'
import * as bundle from 'bundle'
loaded()
export default bundle.default
${name === ROUTER ? '' : 'export const { Host } = bundle'}`

/** The router has no actor and needs nothing of Node. */
const ofUnit = (name: string) => `compatibilityFlags = ${JSON.stringify(COMPATIBILITY_FLAGS)},
      durableObjectNamespaces = [(className = "Host", uniqueKey = "${name}", preventEviction = true)],
      durableObjectStorage = (inMemory = void),
      bindings = [(name = "HOST", durableObjectNamespace = "Host")],`

const serviceOf = (name: string) => `(name = "${name}", worker = (
      modules = [
        (name = "main", esModule = ${text(mainOf(name))}),
        (name = "guard", esModule = embed "guard.mjs"),
        (name = "bundle", esModule = embed "${name}.mjs"),
      ],
      compatibilityDate = "${COMPATIBILITY_DATE}",
      ${name === ROUTER ? '' : ofUnit(name)}
    ))`

const socketOf = (name: string) =>
  `(name = "${name}", address = "127.0.0.1:0", http = (), service = "${name}")`

const WORKERS = [...UNITS.map(({ name }) => name), ROUTER, 'assay']
let folder: string
beforeAll(async () => {
  folder = (await tempFolder()).path // removed by the next test run
  await writeWorkerd(folder)
  await writeWhole(folder)
  await copyFile(join(FOLDER, 'guard.mjs'), join(folder, 'guard.mjs'))
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ${WORKERS.map(serviceOf).join(',\n    ')}
  ],
  sockets = [
    ${WORKERS.map(socketOf).join(',\n    ')}
  ],
);
`
  await writeFile(join(folder, 'every.capnp'), config)
})

describe.each(Object.entries(WORKERDS))('%s workerd', (_, { version, program }) => {
  it(`(${version}) loads every bundle, and each answers`, { timeout: PATIENCE_MS }, async () => {
    const child = spawn(program, ['serve', '--control-fd=3', join(folder, 'every.capnp')], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    let log = ''
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', chunk => (log += chunk))
    const ended = once(child, 'exit')
    try {
      const urls = new Map<string, string>()
      for await (const chunk of child.stdio[3] as AsyncIterable<Buffer>) {
        for (const [, socket, port] of String(chunk).matchAll(/"socket":"(\w+)".*?"port":(\d+)/g))
          urls.set(socket!, `http://127.0.0.1:${port}`)
        if (urls.size === WORKERS.length) break
      }
      expect([...urls.keys()], log).toEqual(WORKERS)
      for (const name of WORKERS) {
        const answer = await fetch(`${urls.get(name)}/v1/nothing`)
        expect([name, answer.status]).toEqual([name, 404])
      }
      expect(log).not.toMatch(/error|warning/i)
    } finally {
      child.kill('SIGKILL')
      await ended
    }
  })
})
