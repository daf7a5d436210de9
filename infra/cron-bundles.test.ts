import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleInto, writeUnits } from './bundle.ts'
import { FOR_NODE } from './for-node.ts'
import { unitsOf } from './packaging.ts'

const PARSES: [name: string, parses: boolean][] = [
  ['create-schedule', true],
  ['tick', true],
  ['create-project', false], // has a zone, which shares a module with crons
  ['list-runs', false],
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-bundles-'))
  const units = new Map(unitsOf('endpoint').map(unit => [unit.name, unit]))
  await writeUnits(
    PARSES.map(([name]) => units.get(name)!),
    folder,
  )
})
afterAll(() => rm(folder, { recursive: true }))

it.each(PARSES)('the bundle of %s has cron-parser (%s) and never luxon', async (name, parses) => {
  const text = await readFile(join(folder, `${name}.mjs`), 'utf8')
  expect([text.includes('too many values in'), text.includes('IANAZone')]).toEqual([parses, false])
})

it('a bundle parses as the package does', async () => {
  const texts = new Map([['cron', "export { parseCron } from './shared/schedules/rules/cron.ts'"]])
  await bundleInto(folder, texts, FOR_NODE)
  const bundled = await import(join(folder, 'cron.mjs'))
  const { parseCron } = await import('../shared/schedules/rules/cron.ts')
  for (const text of ['*/7 1-5,22 1,15 */2 MON-FRI', '1-5,3 0 * * 0,7', '0 0 29 2 *'])
    expect(bundled.parseCron(text)).toEqual(parseCron(text))
  expect(() => bundled.parseCron('60 * * * *')).toThrow('the minute "60"')
})
