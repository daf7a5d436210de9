import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeUnits } from './bundle.ts'
import { unitsOf } from './packaging.ts'

const units = new Map(unitsOf('endpoint').map(unit => [unit.name, unit]))
/** What stands in the list of prices and nowhere else. */
const LISTED = /anthropic\.claude-3-5-sonnet-20241022-v2:0/

const CARRIES: [name: string, carries: boolean][] = [
  ['consume', true],
  ['tick', true],
  ['list-run-items', false],
  ['create-price', false],
  ['list-prices', false],
  ['get-run', false],
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-bundles-'))
  const wanted = CARRIES.map(([name]) => {
    const unit = units.get(name)
    if (unit === undefined) throw new Error(`no unit ${name} among ${[...units.keys()].join(' ')}`)
    return unit
  })
  await writeUnits(wanted, folder)
})
afterAll(() => rm(folder, { recursive: true }))

it.each(CARRIES)('the bundle of %s carries the list of prices: %s', async (name, carries) => {
  expect(LISTED.test(await readFile(join(folder, `${name}.mjs`), 'utf8'))).toBe(carries)
})
