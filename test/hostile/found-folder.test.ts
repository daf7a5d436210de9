// A working directory is somebody else's: no file in it gets a key of the environment, names a server elsewhere, starts
// a database or runs a program, not even when Tab is pressed.

import { execFileSync } from 'node:child_process'
import { chmod, chown, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPlace } from '../../infra/backup/place.ts'
import { findAccess, findMetrics, findOperatorAccess, serverOf } from '../../shared/cli/access.ts'
import { COMMANDS } from '../../shared/cli/commands.ts'
import { completion } from '../../shared/cli/completion.ts'
import { declarationAt, servePython } from '../../shared/cli/python-agent.ts'
import { recentIds } from '../../shared/cli/recent-ids.ts'
import { pythonTests } from '../../shared/cli/try-item.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const DEFAULT = 'http://127.0.0.1:8090'
const OWN = { base_url: 'http://127.0.0.1:9999', api_key: 'pk_local', metrics_token: 'local' }
const THEIRS = { base_url: 'https://evil.example', api_key: 'pk_evil', metrics_token: 'evil' }

let folder: TempFolder
beforeEach(async () => {
  folder = await tempFolder()
})
afterEach(() => folder.remove())

const path = (...names: string[]) => join(folder.path, ...names)
async function leave(value: object, name = '.assay') {
  await mkdir(path(name), { mode: 0o700, recursive: true })
  await writeFile(path(name, 'local.json'), JSON.stringify(value), { mode: 0o600 })
  await writeFile(path(name, 'operator.key'), 'operator', { mode: 0o600 })
}
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: folder.path,
    stdio: 'ignore',
  })

describe('a key of the environment without a server', () => {
  const KEYS = { ASSAY_API_KEY: 'pk_mine', ASSAY_OPERATOR_KEY: 'op_mine', ASSAY_METRICS_TOKEN: 'm_mine' }

  it.each([
    ['a server elsewhere', THEIRS],
    ['another port of this machine', OWN],
  ])('goes to the default of this machine, where the folder names %s', async (_, value) => {
    await leave(value)
    expect(findAccess(KEYS, folder.path)).toEqual({ base_url: DEFAULT, api_key: 'pk_mine' })
    expect(findOperatorAccess(KEYS, folder.path)).toEqual({ base_url: DEFAULT, api_key: 'op_mine' })
    expect(findMetrics(KEYS, folder.path)).toEqual({ base_url: DEFAULT, metrics_token: 'm_mine' })
  })

  it('goes to the stack whose data folder the environment names as well', async () => {
    await leave(OWN, 'mine')
    const env = { ...KEYS, ASSAY_DATA_DIR: 'mine' }
    expect(findAccess(env, folder.path)).toEqual({ base_url: OWN.base_url, api_key: 'pk_mine' })
  })
})

describe('a found local.json', () => {
  it('counts where the folder is mine alone', async () => {
    await leave(OWN)
    expect(findAccess({}, folder.path)).toMatchObject({ base_url: OWN.base_url, api_key: 'pk_local' })
    expect(findOperatorAccess({}, folder.path)).toMatchObject({ api_key: 'operator' })
  })

  it('counts by a link to a folder that is mine alone, in a repository that ignores it', async () => {
    await leave(OWN, 'mine')
    await mkdir(path('project'))
    await symlink(path('mine'), path('project', '.assay'))
    git('init', '-q')
    expect(findAccess({}, path('project'))).toMatchObject({ base_url: OWN.base_url })
  })

  const refused = () => {
    for (const find of [findAccess, findMetrics, findOperatorAccess, serverOf])
      expect(() => find({}, folder.path)).toThrow(
        expect.objectContaining({ code: 'data_folder_not_trusted', hint: expect.stringContaining('ASSAY_') }),
      )
    const elsewhere = { ASSAY_BASE_URL: 'https://assay.example', ASSAY_API_KEY: 'pk_mine' }
    expect(findAccess(elsewhere, folder.path)).toMatchObject({ base_url: 'https://assay.example' })
  }

  it.each([
    'https://evil.example',
    'http://127.0.0.1@evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://169.254.169.254',
    'http://[::ffff:8.8.8.8]',
    'http://0.0.0.0:8090',
  ])('is refused where it names %s', async base_url => {
    await leave({ ...OWN, base_url })
    refused()
  })

  it.each(['folder', 'file'])('is refused where others can write to the %s', async what => {
    await leave(OWN)
    await chmod(what === 'folder' ? path('.assay') : path('.assay', 'local.json'), 0o777)
    refused()
  })

  it.runIf(process.getuid?.() === 0)(
    'is refused where it, its folder or its link belongs to another user',
    async () => {
      await leave(OWN)
      await chown(path('.assay', 'local.json'), 65_534, 65_534)
      refused()
      await rm(path('.assay'), { recursive: true })
      await leave(OWN)
      await chown(path('.assay'), 65_534, 65_534)
      refused()
    },
  )

  it.each([
    ['the file', async () => leave(OWN)],
    [
      'a link',
      async () => {
        await leave(OWN, 'data')
        await symlink('data', path('.assay'))
      },
    ],
  ])('is refused where git tracks %s', async (_, make) => {
    await make()
    git('init', '-q')
    git('add', '-f', '.')
    refused()
  })

  it('is refused where its folder looks like a repository of its own, inside one that tracks both', async () => {
    await leave(OWN, 'project/.assay')
    for (const part of ['objects', 'refs']) await mkdir(path('project', part))
    await writeFile(path('project', 'objects', 'x'), '')
    await writeFile(path('project', 'refs', 'x'), '')
    await writeFile(path('project', 'HEAD'), 'ref: refs/heads/main\n')
    await writeFile(path('project', 'config'), '[core]\n\tbare = false\n\tworktree = .\n')
    git('init', '-q')
    git('add', '-f', '.')
    expect(() => findAccess({}, path('project'))).toThrow('it came with a repository')
  })

  it('is refused without running what the repository configures', async () => {
    await leave(OWN)
    git('init', '-q')
    git('add', '-f', '.')
    for (const name of ['core.fsmonitor', 'core.pager', 'alias.ls-files', 'core.sshCommand'])
      git('config', name, `touch ${path('ran')}`)
    refused()
    await expect(readFile(path('ran'))).rejects.toThrow('ENOENT')
  })
})

it('no database of a folder is started that nobody named', async () => {
  await leave(OWN)
  await writeFile(path('.assay', 'postgres.json'), JSON.stringify({ password: 'x' }))
  await mkdir(path('.assay', 'postgres'))
  for (const purpose of ['read', 'fill'] as const)
    await expect(openPlace({ env: {}, folder: folder.path }, purpose)).rejects.toMatchObject({
      code: 'data_folder_not_named',
      message: expect.stringContaining(`ASSAY_DATA_DIR=${path('.assay')}`),
    })
  await expect(readFile(path('.assay', 'postgres.log'))).rejects.toThrow('ENOENT')
})

describe('Tab', () => {
  const bash = () => {
    let script = ''
    const output = { text: (text: string) => (script = text) }
    completion({ output } as never, { arg: () => 'bash' } as never, COMMANDS)
    return script
  }
  /** What bash would offer after these words, with an `assay` on PATH that knows these ids. */
  async function offered(words: string[], ids: string[]) {
    await mkdir(path('bin'), { recursive: true })
    await writeFile(path('ids'), ids.map(id => `${id}\tabout\n`).join(''))
    await writeFile(path('bin', 'assay'), `#!/bin/sh\ncat ${path('ids')}\n`, { mode: 0o755 })
    await writeFile(path('completion'), bash())
    const typed = words.map(word => `'${word}'`).join(' ')
    const run = `. ${path('completion')}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _assay; printf '%s\\n' "\${COMPREPLY[@]}"`
    const env = { PATH: `${path('bin')}:${process.env.PATH}` }
    return execFileSync('bash', ['--norc', '-c', run], { cwd: folder.path, encoding: 'utf8', env })
      .split('\n')
      .filter(Boolean)
  }

  it('offers ids, and evaluates none', async () => {
    const hostile = [
      `$(touch ${path('ran')})`,
      `\`touch ${path('ran')}\``,
      `a[$(touch ${path('ran')})]`,
      '*',
      '~',
      '$HOME',
    ]
    expect(await offered(['assay', 'tag', ''], ['0190-a', ...hostile])).toEqual(['0190-a', ...hostile])
    expect(await offered(['assay', 'tag', '019'], ['0190-a', ...hostile])).toEqual(['0190-a'])
    await expect(readFile(path('ran'))).rejects.toThrow('ENOENT')
  })

  it('runs no program that lies in the folder', async () => {
    await writeFile(path('assay'), `#!/bin/sh\ntouch ${path('ran')}\n`, { mode: 0o755 })
    expect(await offered(['./assay', 'tag', ''], ['0190-a'])).toEqual(['0190-a'])
    await expect(readFile(path('ran'))).rejects.toThrow('ENOENT')
  })

  it('is answered with plain words alone, whatever a server names its things', async () => {
    const agent = (slug: string, name: string) => ({ id: slug, slug, name })
    const server = createServer((_, response) => {
      const agents = [
        agent('good-1', 'Good\u001b]0;owned\u0007'),
        ...['$(id)', '`id`', 'a b', '-rf', '*', 'a;b', 'a\nb', '~'].map(slug => agent(slug, 'x')),
      ]
      response.setHeader('content-type', 'application/json')
      response.setHeader('assay-version', '0.1.0')
      response.end(JSON.stringify(agents))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const env = {
      ASSAY_BASE_URL: `http://127.0.0.1:${port}`,
      ASSAY_API_KEY: 'pk_x',
      XDG_CACHE_HOME: folder.path,
    }
    expect(await recentIds('agents', env, folder.path, Date.now())).toEqual(['good-1\tGood ]0;owned '])
    server.close()
  })
})

describe('a module of Python in the folder, where the named file lies elsewhere', () => {
  const RAN = 'open(__file__ + ".ran", "w")\n'
  const env = { ...process.env, PYTHONPATH: join(import.meta.dirname, '../../shared/sdk/python') }
  let elsewhere: TempFolder
  beforeEach(async () => {
    elsewhere = await tempFolder()
    for (const module of ['assay', 'unittest']) {
      await mkdir(path(module))
      await writeFile(path(module, '__init__.py'), RAN)
      await writeFile(path(module, '__main__.py'), RAN)
    }
    await writeFile(
      join(elsewhere.path, 'agent.py'),
      "from assay import agent\n\n@agent(name='Named')\ndef named(ctx, item):\n    return item\n",
    )
    await writeFile(
      join(elsewhere.path, 'test_agent.py'),
      'import unittest\nfrom agent import named\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertIsNotNone(named)\n',
    )
  })
  afterEach(() => elsewhere.remove())
  const ran = async () =>
    (await readdir(folder.path, { recursive: true })).filter(name => name.endsWith('.ran'))

  it('does not run when the file is served', async () => {
    await using served = await servePython({ folder: folder.path, env }, join(elsewhere.path, 'agent.py'))
    expect(await declarationAt(served.url)).toMatchObject({ name: 'Named' })
    expect(await ran()).toEqual([])
  })

  it('does not run when the file lies below a folder that others can write to', async () => {
    await chmod(folder.path, 0o777)
    await cp(elsewhere.path, path('below'), { recursive: true })
    await using served = await servePython({ folder: folder.path, env }, path('below', 'agent.py'))
    expect(await declarationAt(served.url)).toMatchObject({ name: 'Named' })
    expect(await ran()).toEqual([])
  })

  it('does not run when the file is tested', async () => {
    expect(await pythonTests({ folder: folder.path, env }, join(elsewhere.path, 'test_agent.py'))).toBe(0)
    expect(await ran()).toEqual([])
  })
})
