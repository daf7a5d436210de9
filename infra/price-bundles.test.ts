import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeUnits } from './bundle.ts'
import { unitsOf } from './packaging.ts'

const units = new Map(unitsOf('endpoint').map(unit => [unit.name, unit]))
/** A text that occurs in the list of prices and nowhere else. */
const LISTED = /anthropic\.claude-3-5-sonnet-20241022-v2:0/
const FILE = 'chunks/pricesText.txt'

const READS: [name: string, reads: boolean][] = [
  ['consume', true],
  ['tick', true],
  ['list-run-items', false],
  ['create-price', true], // a key may price only what no list has
  ['list-prices', false],
  ['get-run', false],
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-bundles-'))
  const wanted = READS.map(([name]) => {
    const unit = units.get(name)
    if (unit === undefined) throw new Error(`no unit ${name} among ${[...units.keys()].join(' ')}`)
    return unit
  })
  await writeUnits(wanted, folder)
})
afterAll(() => rm(folder, { recursive: true }))

it.each(READS)('the bundle of %s reads the price list (%s) and never contains it', async (name, reads) => {
  const text = await readFile(join(folder, `${name}.mjs`), 'utf8')
  expect([text.includes(FILE), LISTED.test(text)]).toEqual([reads, false])
})

it('the price list is a single file next to the bundles', async () => {
  expect(await readFile(join(folder, FILE), 'utf8')).toMatch(LISTED)
})
