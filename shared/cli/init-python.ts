// Makes a new agent project in Python, with the wheel of the package beside it. Guarantee: no existing file is overwritten,
// and nothing is asked of an index for the package, whose name is not ours there.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Given } from './arguments.ts'
import { usageFailure } from './failure.ts'
import { pythonFiles } from './init-python-files.ts'
import { linkStack, namesOf, refuseExisting, VENDOR } from './new-project.ts'
import { IS_CHECKOUT, ROOT } from './own-files.ts'
import type { Session } from './session.ts'

const BACKEND = join(ROOT, 'shared/sdk/python/backend/assay_build.py')

export async function initPython(
  { folder, env, output }: Session,
  given: Given,
  target: string,
): Promise<void> {
  const made = await mkdtemp(join(tmpdir(), 'assay-init-'))
  try {
    const wheel = await wheelOf(folder, given.text('wheel'), made)
    const { slug, name } = namesOf(target)
    const files = pythonFiles({ slug, name, wheel: `${VENDOR}/${basename(wheel)}` })
    refuseExisting(target, files)
    await mkdir(join(target, VENDOR), { recursive: true })
    await cp(wheel, join(target, VENDOR, basename(wheel)))
    for (const [file, text] of Object.entries(files))
      await writeFile(join(target, file), text, { flag: 'wx' })
    if (IS_CHECKOUT) await linkStack(target, resolve(folder, env.ASSAY_DATA_DIR || join(ROOT, '.assay')))
    const near = relative(folder, target)
    const result = { folder: target, name, slug, files: Object.keys(files) }
    // The new folder does not have the command.
    const program = IS_CHECKOUT ? `npx --no --prefix ${ROOT} assay` : 'assay'
    output.emit('project', result, ({ paint }) =>
      [
        `${paint('bold', name)}: ${near || '.'}/ has ${result.files.join(', ')}`,
        `${paint('dim', 'try ')}  ${near === '' ? '' : `cd ${near} && `}python3 -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt`,
        `      python3 -m assay serve agent.py --port 8097`,
        `      ${program} deploy agent.py --url http://127.0.0.1:8097   ${paint('dim', '# in another terminal')}`,
        `      ${program} submit items.jsonl --agent ${slug} --item-id id --watch`,
      ].join('\n'),
    )
  } finally {
    await rm(made, { recursive: true })
  }
}

/** The wheel that is given, or one that this checkout makes in `folder`. @throws Failure `usage` */
async function wheelOf(from: string, given: string | undefined, folder: string): Promise<string> {
  if (given !== undefined) {
    const path = resolve(from, given)
    if (existsSync(path) && path.endsWith('.whl')) return path
    throw usageFailure(`${path} is no wheel`, {
      hint: 'npm run package:python makes it in shared/sdk/python/dist of a checkout',
    })
  }
  if (!IS_CHECKOUT)
    throw usageFailure('--wheel is missing', {
      hint: 'a new project keeps the wheel of the package assay, which npm run package:python of a checkout makes',
      next: 'assay init FOLDER --python --wheel assay-0.1.0-py3-none-any.whl',
    })
  await promisify(execFile)('python3', [BACKEND, '--out', folder]).catch(error => {
    throw usageFailure(`the wheel could not be made: ${String(error.stderr || error.message).trim()}`)
  })
  const name = (await readdir(folder)).find(one => one.endsWith('.whl'))
  return join(folder, name!)
}
