// Builds the wheel of the Python package, installs it into an environment of its own, and runs its tests there. Guarantee: each
// test of Python is one here, and the package under test is the installed one; those of clients that the Python lacks (`PYTHON`
// names one that has them, see .ci/run) are listed with that reason.

import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
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

async function resultsOf(modules: string[], python = installed): Promise<Result[]> {
  const paths = python === installed ? [folder] : [folder, run(installed, '-c', PACKAGES)]
  const env = {
    ...process.env,
    PYTHONPATH: paths.join(':'),
    PYTHONWARNINGS: 'ignore',
    ASSAY_CHECKOUT: CHECKOUT,
    ASSAY_COMMAND: `${process.execPath} ${join(CHECKOUT, '../../cli/assay.mjs')}`,
  }
  const text = await new Promise<string>(resolve => {
    const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024, timeout: 600_000 }
    execFile(python, ['-m', 'tests', ...modules], options, (error, stdout, stderr) => {
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

/** The other Pythons that are supported, where this machine has them. */
function otherPythons(): string[] {
  const versions = join(homedir(), '.pyenv/versions')
  const named = existsSync(versions)
    ? readdirSync(versions).map(name => join(versions, name, 'bin/python'))
    : []
  const own = run(PYTHON, '-c', VERSION)
  const found = new Map<string, string>()
  for (const minor of [9, 10, 11, 12, 13, 14])
    for (const one of [`python3.${minor}`, ...named.filter(path => path.includes(`/3.${minor}.`))]) {
      const { status, stdout } = spawnSync(one, ['-c', VERSION], { encoding: 'utf8' })
      if (status === 0 && stdout.trim() === `3.${minor}` && stdout.trim() !== own)
        found.set(`3.${minor}`, one)
    }
  return [...found.values()]
}

const VERSION = 'import sys; print("%d.%d" % sys.version_info[:2])'

/** Serves an agent on a free port, by that Python and with the installed package; returns what the conformance run says. */
async function conformanceOf(
  python: string,
  agent: string,
): Promise<{ status: number | null; output: string }> {
  const site = run(installed, '-c', PACKAGES)
  const env = { ...process.env, PYTHONPATH: site }
  const command = ['-m', 'assay', 'serve', `${join(folder, 'tests/agents.py')}:${agent}`, '--port', '0']
  const server = spawn(python, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
    const [url] = /http:\S+\d/.exec(line) ?? ['']
    const checks = join(CHECKOUT, '../../../infra/runtime/conformance.ts')
    return await new Promise(resolve => {
      execFile(process.execPath, [checks, url], (error, output) => resolve({ status: error ? 1 : 0, output }))
    })
  } finally {
    server.kill('SIGKILL')
  }
}

const wheel = install()
const modules = readdirSync(join(CHECKOUT, 'tests')).filter(name => /^test_\w+\.py$/.test(name))
const results = await Promise.all(
  modules.map(async file => ({ file, found: await resultsOf([file.replace('.py', '')]) })),
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

describe('the agent protocol', () => {
  for (const python of [installed, ...otherPythons()])
    for (const agent of ['works', 'works_async'])
      test(`${agent} conforms on Python ${run(python, '-c', VERSION)}`, async () => {
        const { status, output } = await conformanceOf(python, agent)
        expect(output).not.toContain('fail')
        expect({ status, output }).toMatchObject({ status: 0 })
      })
})

/** What has no process of its own, on the other Pythons too. */
const QUICK = ['test_steps', 'test_kept', 'test_schema', 'test_decorators']
for (const python of otherPythons())
  test(`steps, values, schemas and decorators on Python ${run(python, '-c', VERSION)}`, async () => {
    const found = await resultsOf(QUICK, python)
    expect(found.length).toBeGreaterThan(50)
    expect(found.filter(({ status }) => status === 'failed')).toEqual([])
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
