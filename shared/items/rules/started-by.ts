// Who started a run, from the name that decisions give a caller.

import type { StartedBy } from '../vocabulary.ts'

const KEY = 'key '

/** @example startedByCaller('key nightly import') // { kind: 'key', id: null, name: 'nightly import' } */
export const startedByCaller = (author: string): StartedBy =>
  author.startsWith(KEY)
    ? { kind: 'key', id: null, name: author.slice(KEY.length) }
    : { kind: 'member', id: null, name: author }
