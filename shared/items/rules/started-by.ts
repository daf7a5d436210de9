// How a caller who started something is named where one text is shown.

import type { StartedBy } from '../vocabulary.ts'

/**
 * A member by e-mail, a key by its name. No e-mail has a space, so no key can be named like a member.
 * @example 'ana@example.com' @example 'key nightly import'
 */
export const authorName = ({ kind, name }: Pick<StartedBy, 'kind' | 'name'>): string =>
  kind === 'key' ? `key ${name}` : name
