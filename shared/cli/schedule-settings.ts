// What runs of a schedule are started with, as options.

import { RESULT_FORMATS } from '../results/vocabulary.ts'
import type { Option } from './arguments.ts'
import { SOURCE_OPTIONS } from './source-options.ts'
import { allowUnpriced, tagOption } from './start-options.ts'

/** One with a field is sent as that, by the commands that create and change schedules alike. */
export const SCHEDULE_SETTINGS: readonly Option[] = [
  { name: 'name', field: 'name', value: 'NAME', about: 'what people call it, and its runs' },
  { name: 'input', value: 'JSON', about: 'the input of each run, which is over one item' },
  ...SOURCE_OPTIONS,
  {
    name: 'budget',
    field: 'budget_cents',
    value: 'AMOUNT',
    kind: 'amount',
    none: true,
    about: 'money each run may spend; none is no bound',
  },
  { ...allowUnpriced, field: 'allow_unpriced' },
  {
    name: 'pilot',
    field: 'pilot_items',
    value: 'N',
    kind: 'whole',
    least: 1,
    none: true,
    about:
      'so many items of each run go first; the others follow if one of these was ok; none is all at once',
  },
  {
    name: 'concurrency',
    field: 'concurrency',
    value: 'N',
    kind: 'whole',
    least: 1,
    none: true,
    about: 'items of each run at work at once at most; none is no bound of its own',
  },
  {
    name: 'timeout',
    field: 'timeout_seconds',
    value: 'SECONDS',
    kind: 'whole',
    least: 1,
    none: true,
    about: 'time an item may take; none is what the agent declares',
  },
  {
    name: 'callback-url',
    field: 'callback_url',
    value: 'URL',
    none: true,
    about: 'gets a signed summary when a run ends; none for nobody',
  },
  {
    name: 'results-url',
    value: 'URL',
    about: 'gets the results of each run as a file when it has ended; none for nobody',
  },
  {
    name: 'results-format',
    value: 'FORMAT',
    choices: RESULT_FORMATS,
    about: 'of that file; csv unless told',
  },
  {
    ...tagOption,
    field: 'tags',
    none: true,
    about: 'a word by which its runs are found again; may be given several times; none takes all away',
  },
]
