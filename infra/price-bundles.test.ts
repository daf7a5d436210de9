import { expect, it } from 'vitest'
import { bundleForNode } from './bundle.ts'
import { unitsOf } from './packaging.ts'

const units = new Map(unitsOf('endpoint').map(unit => [unit.name, unit]))
/** What stands in the list of prices and nowhere else. */
const LISTED = /anthropic\.claude-3-5-sonnet-20241022-v2:0/

it.each([
  ['consume', true],
  ['tick', true],
  ['list-run-items', false],
  ['create-price', false],
  ['list-prices', false],
  ['get-run', false],
])('the bundle of %s carries the list of prices: %s', async (name, carries) => {
  const unit = units.get(name)
  if (unit === undefined) throw new Error(`no unit ${name} among ${[...units.keys()].join(' ')}`)
  expect(LISTED.test(await bundleForNode(unit))).toBe(carries)
})
