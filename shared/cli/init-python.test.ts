import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { answering, given } from '../../test/support/cli-session.ts'
import { init } from './init.ts'
import type { Session } from './session.ts'

let folder: string
let session: Session
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'init-'))
  session = { ...answering({})(80), folder, env: { ASSAY_DATA_DIR: join(folder, 'data') } }
})
afterEach(() => rm(folder, { recursive: true }))

it('a Python project has the wheel of the package, and installs it from there', async () => {
  await init(session, given({ python: 'yes' }, ['claim-letters']))
  const project = join(folder, 'claim-letters')
  const [wheel] = await readdir(join(project, 'vendor'))
  expect(wheel).toMatch(/^assay-.*-py3-none-any\.whl$/)
  expect(await readFile(join(project, 'requirements.txt'), 'utf8')).toContain(`./vendor/${wheel}\n`)
  expect(await readFile(join(project, 'agent.py'), 'utf8')).toContain('@agent(name="Claim letters"')
  expect(await readFile(join(project, 'run.py'), 'utf8')).toContain('submit("claim-letters"')
})

it('no file of the folder is overwritten', async () => {
  await writeFile(join(folder, 'agent.py'), 'mine')
  await expect(init(session, given({ python: 'yes' }, []))).rejects.toThrow('has agent.py already')
  expect(await readdir(folder)).toEqual(['agent.py'])
})

it('a wheel that is not there is refused before anything is written', async () => {
  for (const [options, message] of [
    [{ python: 'yes', wheel: 'none.whl' }, 'none.whl is no wheel'],
    [{ wheel: 'none.whl' }, '--wheel goes with --python'],
  ] as [Record<string, string>, string][])
    await expect(init(session, given(options, ['new']))).rejects.toThrow(message)
  expect(await readdir(folder)).toEqual([])
})
