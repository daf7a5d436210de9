// Options of all commands that start runs, or that make schedules and triggers, which start them.

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

export const patienceOption: Option = {
  name: 'patience',
  value: 'TIME',
  kind: 'time',
  about: 'how long it waits for a provider that serves nobody, such as 24h; a day unless given or declared',
}

/** Settings of schedules and triggers; each is sent as its field, by the commands that make and change them. */
export const START_SETTINGS: readonly Option[] = [
  {
    name: 'budget',
    field: 'budget_cents',
    value: 'AMOUNT',
    kind: 'amount',
    none: true,
    about: 'money each run may spend: 5 or 5.00 is dollars; none is no bound',
  },
  { ...allowUnpriced, field: 'allow_unpriced', none: true },
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
    ...patienceOption,
    field: 'patience_seconds',
    none: true,
    about: 'how long each run waits for a provider that serves nobody; none is what the agent declares',
  },
  {
    name: 'callback-url',
    field: 'callback_url',
    value: 'URL',
    none: true,
    about: 'gets a signed summary when a run ends; none for nobody',
  },
  {
    ...tagOption,
    field: 'tags',
    none: true,
    about: 'a word by which its runs are found again; may be given several times; none takes all away',
  },
]
