// The name that distinguishes installations that share a Redis, a PostgreSQL server, a namespace of a platform or a
// collector. Guarantee: without a name all keys and names are those of an installation that shares nothing.

import { LIMITS } from './limits.ts'

/** What ASSAY_INSTALLATION takes, for errors. */
export const INSTALLATION_NAMES = `a name of at most ${LIMITS.installation_name_characters} characters a-z, 0-9 and -, that begins with a letter and does not end with -`

/** Whether it may be part of a DNS label, as the names of functions and Services are. */
export const isInstallationName = (name: string): boolean =>
  name.length <= LIMITS.installation_name_characters && /^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name)

/**
 * What the keys and names of an installation begin with.
 *
 * @example
 * prefixOf(undefined) // assay
 * prefixOf('staging') // assay-staging
 */
export const prefixOf = (installation: string | undefined): string =>
  installation === undefined ? 'assay' : `assay-${installation}`
