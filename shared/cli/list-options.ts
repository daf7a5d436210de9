// Options of every command that lists: since when, how many rows, and whether to follow.

import type { Option } from './arguments.ts'

export const sinceOption: Option = {
  name: 'since',
  value: 'WHEN',
  about: 'only what came since then: 90s, 30m, 2h, 3d, 1w ago, or a time such as 2026-03-02T09:30Z',
}
export const limitOption: Option = {
  name: 'limit',
  value: 'N',
  kind: 'whole',
  least: 1,
  about: 'how many to list; 50 by default',
}
const follow: Option = { name: 'follow', about: 'then print what comes, oldest first, until Ctrl-C' }

export const LIST_OPTIONS: readonly Option[] = [sinceOption, limitOption, follow]

export const projectOption: Option = {
  name: 'project',
  value: 'ID',
  about: "the project; the key's own by default",
}
