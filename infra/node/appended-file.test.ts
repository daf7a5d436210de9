// On a real file system of a megabyte, which is full for a while.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type SmallDisk, smallDisk } from '../../test/support/small-disk.ts'
import { AppendedFile } from './appended-file.ts'
import { logLine } from './log.ts'

let disk: SmallDisk | undefined
beforeEach(async () => {
  disk = await smallDisk(1)
})
afterEach(() => disk?.remove())

const LEFT_OUT = {
  waiting: 2_000_000,
  leftOut: (lines: number) => `${logLine('warn', 'log_lines_lost', { lines })}\n`,
}

it('lines that a full disk does not take are counted, and the next that it takes says how many [log.log_lines_lost]', async context => {
  if (disk === undefined) return context.skip('mounting a small disk takes rights that this user lacks')
  const path = join(disk.path, 'log')
  const file = new AppendedFile(path, LEFT_OUT)
  file.write('first\n')
  await file.flush()
  await disk.fill()
  for (let n = 0; n < 3; n++) {
    file.write(`${'x'.repeat(9000)}\n`)
    await file.flush()
  }
  await disk.empty()
  file.write('after\n')
  await file.flush()
  const lines = (await readFile(path, 'utf8')).split('\n').filter(line => line !== '')
  expect(lines[0]).toBe('first')
  expect(JSON.parse(lines.at(-2)!)).toMatchObject({ event: 'log_lines_lost', lines: 3 })
  expect(lines.at(-1)).toBe('after')
})

it('what waits to be written has a bound', async context => {
  if (disk === undefined) return context.skip('mounting a small disk takes rights that this user lacks')
  const path = join(disk.path, 'log')
  const file = new AppendedFile(path, { ...LEFT_OUT, waiting: 20 })
  for (let n = 0; n < 5; n++) file.write(`line ${n}\n`)
  await file.flush()
  file.write('last\n')
  await file.flush()
  const text = await readFile(path, 'utf8')
  const lines = text.split('\n').filter(line => line.startsWith('l'))
  expect(lines).toEqual(['line 0', 'line 1', 'line 2', 'last']) // the first was on its way already
  expect(text).toContain('"lines":2')
})
