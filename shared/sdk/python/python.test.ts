// Builds the wheel of the Python package, installs it into an environment of its own, and runs its tests there. Guarantee: each
// test of Python is one here, and the package under test is the installed one; those of clients that the Python lacks (`PYTHON`
// names one that has them, see .ci/run) are listed with that reason.

import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

interface Result {
  test: string
  status: 'passed' | 'failed' | 'skipped'
  why: string
}

const CHECKOUT = import.meta.dirname
const PYTHON = process.env.PYTHON ?? 'python3'
const folder = mkdtempSync(join(tmpdir(), 'assay-python-'))
const installed = join(folder, 'venv/bin/python')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, PYTHONPATH: '' },
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
  return stdout.trim()
}

const PACKAGES = 'import sysconfig; print(sysconfig.get_path("purelib"))'

/** Without pip, which not every machine has: a wheel of pure Python is installed by being unpacked. Returns its name. */
function install(): string {
  run(PYTHON, join(CHECKOUT, 'backend/assay_build.py'), '--out', folder)
  run(PYTHON, '-m', 'venv', '--without-pip', join(folder, 'venv'))
  const wheel = readdirSync(folder).find(name => name.endsWith('.whl'))!
  const site = run(installed, '-c', PACKAGES)
  run(installed, '-m', 'zipfile', '-e', join(folder, wheel), site)
  writeFileSync(join(site, 'clients.pth'), `${run(PYTHON, '-c', PACKAGES)}\n`)
  cpSync(join(CHECKOUT, 'tests'), join(folder, 'tests'), { recursive: true })
  return wheel
}

async function resultsOf(module: string): Promise<Result[]> {
  const env = { ...process.env, PYTHONPATH: folder, PYTHONWARNINGS: 'ignore', ASSAY_CHECKOUT: CHECKOUT }
  const text = await new Promise<string>(resolve => {
    const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024, timeout: 600_000 }
    execFile(installed, ['-m', 'tests', module], options, (error, stdout, stderr) => {
      const failed: Result = { test: 'runs to its end', status: 'failed', why: `${error?.message}${stderr}` }
      const isLost = error !== null && !stdout.includes('"status": "failed"')
      resolve(isLost ? `${stdout}\n${JSON.stringify(failed)}` : stdout)
    })
  })
  return text
    .split('\n')
    .filter(line => line.startsWith('{"test"'))
    .map(line => JSON.parse(line) as Result)
}

const wheel = install()
const modules = readdirSync(join(CHECKOUT, 'tests')).filter(name => /^test_\w+\.py$/.test(name))
const results = await Promise.all(
  modules.map(async file => ({ file, found: await resultsOf(file.replace('.py', '')) })),
)

describe('the Python package', () => {
  test('is one wheel, with the version of the checkout', () => {
    const root = JSON.parse(readFileSync(join(CHECKOUT, '../../../package.json'), 'utf8')) as {
      version: string
    }
    expect(wheel).toBe(`assay-${root.version}-py3-none-any.whl`)
  })

  test('runs from where it is installed', () => {
    expect(run(installed, '-c', 'import assay; print(assay.__file__)')).toContain(join(folder, 'venv'))
  })
})

for (const { file, found } of results)
  describe(file, () => {
    test('has tests', () => expect(found.length).toBeGreaterThan(0))
    for (const { test: name, status, why } of found) {
      const words = name.replace(/^test_\w+\./, '').replaceAll('_', ' ')
      test(status === 'skipped' ? `${words}: not tried, since ${why}` : words, () => {
        if (status === 'failed') expect.fail(why)
      })
    }
  })
