// The configuration generated for workerd and Wrangler, as those programs themselves read it.

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { routesOf } from '../../../infra/packaging.ts'
import { UNITS } from '../../../infra/targets/image.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { WORKERD, workerdFolder } from '../../support/workerd.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../..')
const MAX_OUTPUT = 64 * 2 ** 20
const PATIENCE_MS = 120_000 // other people's programs start slowly while other work runs

describe('config.capnp', () => {
  it('compiles with workerd, with every bundle in it', { timeout: PATIENCE_MS }, async () => {
    const args = ['compile', join(await workerdFolder(), 'config.capnp'), '--config-only']
    const { stdout } = await run(WORKERD, args, { encoding: 'buffer', maxBuffer: MAX_OUTPUT })
    for (const { name } of UNITS) expect(stdout.includes(`${name}\0`)).toBe(true)
  })

  it('binds to the router exactly the units that have a route', async () => {
    const text = await readFile(join(ROOT, 'infra/generated/workerd/config.capnp'), 'utf8')
    const router = text.slice(text.indexOf('const router'), text.indexOf(');', text.indexOf('const router')))
    const bound = [...router.matchAll(/\(name = "([^"]+)", service = "([^"]+)"\)/g)]
    expect(bound.map(([, name]) => name).sort()).toEqual(
      [...new Set(routesOf(UNITS).map(route => route.unit))].sort(),
    )
    for (const [, name, service] of bound) expect(service).toBe(name)
  })

  it('gives functions the stores only, units without stores nothing, and callbacks no private address', async () => {
    const text = await readFile(join(ROOT, 'infra/generated/workerd/config.capnp'), 'utf8')
    const workers = text.split(/^const /m).filter(part => part.includes('globalOutbound'))
    expect(workers).toHaveLength(UNITS.length)
    const led = (to: string) =>
      workers
        .filter(worker => worker.includes(`globalOutbound = "${to}"`))
        .map(worker => worker.split(' ')[0])
    expect(led('internet').sort()).toEqual(['docs', 'health'])
    expect(led('backplane')).toHaveLength(UNITS.length - 2)
    expect(text).toContain('(name = "internet", network = (allow = []))')
    expect(text).toMatch(/name = "outside", network = \(\s+allow = \["public"\],/)
  })
})

describe('wrangler.toml and the one of staging', () => {
  it.each([
    ['wrangler.toml', [], 'assay-wake'],
    ['infra/wrangler.staging.toml', ['--config', 'infra/wrangler.staging.toml'], 'assay-wake-staging'],
  ])('%s is accepted by Wrangler without a warning', { timeout: PATIENCE_MS }, async (_, more, queue) => {
    const { path, remove } = await tempFolder()
    const args = ['deploy', '--dry-run', '--outdir', path, ...more]
    const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1', WRANGLER_LOG_PATH: path }
    try {
      const wrangler = join(ROOT, 'node_modules/.bin/wrangler')
      const { stdout, stderr } = await run(wrangler, args, { cwd: ROOT, env })
      expect(stdout + stderr).not.toMatch(/warning|error|▲|✘/i)
      for (const binding of [`env.WAKE (${queue})`, 'env.OUTSIDE', 'env.BASE_URL', 'env.ASSAY_CONSUMER_URL'])
        expect(stdout).toContain(binding)
    } finally {
      await remove()
    }
  })
})
