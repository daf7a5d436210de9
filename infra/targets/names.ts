// Builds the names of what an installation has on a platform. Guarantee: without a name of the installation they are
// what they always were; with one all begin with it, and no two installations of a namespace have a name in common.

import { prefixOf } from '../../shared/kernel/installation-name.ts'
import { PACKAGINGS, unitsOf } from '../packaging.ts'
import { ROUTER, RUNTIME } from './image.ts'

interface Named {
  installation?: string | undefined
}

/** @example named({ installation: 'staging' }, 'pooler') // assay-staging-pooler; without a name assay-pooler */
export const named = ({ installation }: Named, what: string): string => `${prefixOf(installation)}-${what}`

/**
 * The name where a namespace is the installation's own unless others share it: without a name there is no prefix.
 *
 * @example namedWithin({ installation: 'staging' }, 'runs') // assay-staging-runs; without a name runs
 */
export const namedWithin = (values: Named, what: string): string =>
  values.installation === undefined ? what : named(values, what)

/**
 * Finds the name that another installation of the namespace could have too: an installation `a` may have a function
 * `b-c`, and one called `a-b` a function `c`. Undefined if there is none.
 */
export function ambiguousName(installation: string): string | undefined {
  const units = [
    ...PACKAGINGS.flatMap(packaging => unitsOf(packaging).map(({ name }) => name)),
    ROUTER,
    RUNTIME,
  ]
  for (const unit of units)
    for (const longer of units) {
      const more = longer.endsWith(`-${unit}`) ? longer.slice(0, -unit.length - 1) : undefined
      if (more !== undefined && `-${installation}`.endsWith(`-${more}`)) return named({ installation }, unit)
    }
  return undefined
}
