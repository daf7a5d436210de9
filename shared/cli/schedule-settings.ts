// The options that say how a schedule starts its runs.

import { RESULT_FORMATS } from '../results/vocabulary.ts'
import type { Option } from './arguments.ts'
import { SOURCE_OPTIONS } from './source-options.ts'
import { START_SETTINGS } from './start-options.ts'

/** An option with a `field` is sent as that field, by the commands that create and change schedules. */
export const SCHEDULE_SETTINGS: readonly Option[] = [
  {
    name: 'name',
    field: 'name',
    value: 'NAME',
    none: true,
    about: 'what people call it, and its runs; none is no name',
  },
  { name: 'input', value: 'JSON', about: 'the input of each run, which is over one item' },
  ...SOURCE_OPTIONS,
  ...START_SETTINGS,
  {
    name: 'results-url',
    value: 'URL',
    about: 'gets the results of each run as a file when it has ended; none for nobody',
  },
  {
    name: 'results-format',
    value: 'FORMAT',
    choices: RESULT_FORMATS,
    about: 'of that file; csv by default',
  },
  {
    name: 'limit',
    value: 'LIMIT',
    kind: 'list',
    about:
      "limits of a provider while its runs work, in place of the project's and for all runs: 'HOST requests=500/min tokens=200000/min in_flight=20 credential=NAME'; may be given for several hosts; none takes all away; owners set it",
  },
]
