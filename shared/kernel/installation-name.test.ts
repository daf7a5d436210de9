import { expect, it } from 'vitest'
import { isInstallationName, prefixOf } from './installation-name.ts'

it.each(['a', 'staging', 'eu-1', 'a--b', 'x'.repeat(16)])('%s is the name of an installation', name => {
  expect(isInstallationName(name)).toBe(true)
})

it.each(['', '-a', 'a-', '1a', 'Staging', 'a_b', 'a.b', 'a:b', 'a b', 'ä', 'a\n', 'a{b}', 'x'.repeat(17)])(
  '%j is not',
  name => {
    expect(isInstallationName(name)).toBe(false)
  },
)

it('an installation without a name has the keys that it always had', () => {
  expect([prefixOf(undefined), prefixOf('staging')]).toEqual(['assay', 'assay-staging'])
})
