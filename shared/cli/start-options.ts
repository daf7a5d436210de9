// What every command that starts runs, or makes what starts them, can be told.

import type { Option } from './arguments.ts'

export const allowUnpriced: Option = {
  name: 'allow-unpriced',
  about: 'under a budget, go on with models that have no price; it does not count them',
}

export const tagOption: Option = {
  name: 'tag',
  value: 'TAG',
  kind: 'list',
  about: 'a word by which the run is found again; may be given several times',
}
