// Processes whose output goes to a file on a full disk, or to a reader that has gone.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { smallDisk } from '../../test/support/small-disk.ts'

const parts: (() => unknown)[] = []
afterEach(async () => {
  for (const undo of parts.splice(0)) await undo()
})

/** Prints at each line of its input on both outputs, and says over its channel that it did. */
const PRINTING = `
  import { guardOutput } from ${JSON.stringify(join(import.meta.dirname, 'guarded-output.ts'))}
  guardOutput()
  process.on('message', text => {
    console.log(text)
    process.stderr.write(text + '\\n')
    setTimeout(() => process.send('printed'), 20)
  })`

function printing(stdio: 'pipe' | number) {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', PRINTING], {
    stdio: ['ignore', stdio, stdio, 'ipc'],
  })
  parts.push(() => child.kill('SIGKILL'))
  const print = async (text: string) => {
    child.send(text)
    await once(child, 'message')
  }
  return { child, print }
}

it('a file on a full disk loses lines, and takes them again when there is room', async context => {
  const disk = await smallDisk(1)
  if (disk === undefined) return context.skip('mounting a small disk takes rights that this user lacks')
  parts.push(() => disk.remove())
  const file = await open(join(disk.path, 'out'), 'a')
  parts.push(() => file.close())
  const { print } = printing(file.fd)
  await print('first')
  await disk.fill()
  await print('x'.repeat(9000))
  await disk.empty()
  await print('after')
  const text = await readFile(join(disk.path, 'out'), 'utf8')
  expect(text).toMatch(/^first\nfirst\n[x\n]*after\nafter\n$/)
})

it('a reader that has gone ends nothing', async () => {
  const { child, print } = printing('pipe')
  await print('first')
  child.stdout!.destroy()
  child.stderr!.destroy()
  for (let n = 0; n < 3; n++) await print('more')
  expect(child.exitCode).toBeNull()
})
