// What every command that starts runs, or makes what starts them, can be told.

import type { Option } from './arguments.ts'

export const allowUnpriced: Option = {
  name: 'allow-unpriced',
  about: 'under a budget, go on with models that have no price; it does not count them',
}
