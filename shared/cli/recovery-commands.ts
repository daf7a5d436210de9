// The commands about items that did not work or do not run, as data.

import { DEPLOYMENT_CHOICES, REUSE_CHOICES } from '../recovery/vocabulary.ts'
import { RECORDED_LANES, TRIAGE_ACTIONS, TRIAGE_LANES, WRONG_OF } from '../triage/vocabulary.ts'
import type { Command, Option } from './arguments.ts'
import { ITEM_ARGS } from './find-item.ts'
import { LIST_OPTIONS, limitOption, projectOption as project } from './list-options.ts'

const watch: Option = { name: 'watch', about: 'follow it to its end; its verdict is the exit code' }
const budget: Option = {
  name: 'budget',
  value: 'AMOUNT',
  kind: 'amount',
  about: 'money it may spend: 5 or 5.00 is dollars',
}

const deployment: Option = {
  name: 'deployment',
  value: 'WHICH',
  choices: DEPLOYMENT_CHOICES,
  about: 'the code that runs; the current one by default',
}

const reuse: readonly Option[] = [
  {
    name: 'reuse',
    value: 'WHICH',
    choices: REUSE_CHOICES,
    about: 'recorded steps to take over; auto asks again where an answer was at fault',
  },
  { name: 'from-step', value: 'KEY', about: 'run this step and what follows it again' },
]

const filters: readonly Option[] = [
  { name: 'run', value: 'RUN', about: 'only items of this run' },
  { name: 'agent', value: 'SLUG', about: 'only items of this agent' },
  { name: 'cause', value: 'CAUSE', about: 'only items with this cause, as `assay causes` names it' },
  { name: 'cluster', value: 'KEY', about: 'only items of this failure cluster' },
  { name: 'reason', value: 'TOKEN', about: 'only items with this reason, such as refusal' },
  { name: 'partition', value: 'KEY', about: 'only items of this partition' },
]

export const RECOVERY_COMMANDS: readonly Command[] = [
  {
    name: 'triage',
    summary: 'Decide about items that wait: on a terminal by keys, else a list.',
    options: [
      {
        name: 'kind',
        value: 'LANE',
        choices: TRIAGE_LANES,
        about: 'only items that did not work, only held ones, or only those that may not have worked',
      },
      ...filters,
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./triage.ts')).triage(...given),
  },
  {
    name: 'replay',
    args: ['[RUN]', '[ITEM]'],
    summary: 'Replay an item, or a cluster; what was at fault is asked again.',
    options: [
      { name: 'cluster', value: 'KEY', about: 'all items of this failure cluster, as one recovery' },
      { name: 'dry-run', about: 'with --cluster: how many can be replayed and why others cannot' },
      ...reuse,
      { name: 'input', value: 'JSON', about: 'another input' },
      deployment,
      budget,
      watch,
    ],
    run: async (...given) => (await import('./triage.ts')).replay(...given),
  },
  {
    name: 'resume',
    args: ITEM_ARGS,
    summary: 'Let a held item go on from its last step.',
    options: [{ ...budget, about: 'money it may spend on top' }, watch],
    run: async (...given) => (await import('./triage.ts')).resume(...given),
  },
  {
    name: 'ack',
    args: ITEM_ARGS,
    summary: 'Take an item out of the list of triage; its run stays partial.',
    run: async (...given) => (await import('./triage.ts')).acknowledge(...given),
  },
  {
    name: 'dismiss',
    args: ITEM_ARGS,
    summary: 'Decide that nothing more is done about an item.',
    run: async (...given) => (await import('./triage.ts')).dismiss(...given),
  },
  {
    name: 'wrong',
    args: ITEM_ARGS,
    summary: 'Call the verdict of an item wrong; what was recorded stays.',
    options: [
      {
        name: 'of',
        value: 'WHAT',
        choices: WRONG_OF,
        about: 'the verdict (by default), what triage asks, or the correction of an ok item: it worked',
      },
    ],
    run: async (...given) => (await import('./triage.ts')).callWrong(...given),
  },
  {
    name: 'confirm',
    args: ITEM_ARGS,
    summary: 'Confirm what triage asks about an item: it did not work.',
    run: async (...given) => (await import('./triage.ts')).confirm(...given),
  },
  {
    name: 'verdicts',
    summary: 'List how often people found verdicts right, by agent and reason.',
    options: [{ name: 'agent', value: 'SLUG', about: 'only verdicts of this agent' }, limitOption],
    run: async (...given) => (await import('./verdicts.ts')).verdicts(...given),
  },
  {
    name: 'reopen',
    args: ITEM_ARGS,
    summary: 'Take back a decision about an item within an hour.',
    run: async (...given) => (await import('./triage.ts')).reopen(...given),
  },
  {
    name: 'causes',
    summary: 'List why items did not work, similar ones as one, the most frequent first.',
    options: [
      { name: 'run', value: 'RUN', about: 'only causes of this run, with its items counted' },
      { name: 'agent', value: 'SLUG', about: 'only causes of this agent' },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./causes.ts')).causes(...given),
  },
  {
    name: 'clusters',
    summary: 'List failures that share an error and a prompt, the most frequent first.',
    options: LIST_OPTIONS,
    run: async (...given) => (await import('./clusters.ts')).clusters(...given),
  },
  {
    name: 'why',
    args: ITEM_ARGS,
    summary: 'Print why an item is not running.',
    run: async (...given) => (await import('./triage.ts')).why(...given),
  },
  {
    name: 'queue',
    summary: 'Print which runs wait and what for, and which items are tried again next.',
    options: [project],
    run: async (...given) => (await import('./queue.ts')).queue(...given),
  },
  {
    name: 'recover',
    args: ['[RECOVERY]'],
    summary: 'Act on all items that pass a filter; alone, list the recoveries.',
    options: [
      {
        name: 'action',
        value: 'WHICH',
        choices: TRIAGE_ACTIONS,
        about: 'what is done with them; replay by default',
      },
      {
        name: 'kind',
        value: 'LANE',
        choices: RECORDED_LANES,
        about: 'only items that did not work, or only held ones',
      },
      ...filters,
      { name: 'from', value: 'TIME', about: 'only items that came into triage at or after this time' },
      { name: 'to', value: 'TIME', about: 'only items that came into triage before this time' },
      {
        name: 'first',
        value: 'N',
        kind: 'whole',
        least: 1,
        about: 'this many first, the rest only if they do better',
      },
      { name: 'cancelled', about: 'what was cancelled of --run, instead of what waits in triage' },
      ...reuse,
      deployment,
      { ...budget, about: 'money all of it may cost' },
      { name: 'name', value: 'NAME', about: 'a name for it' },
      {
        name: 'all',
        about:
          'everything that waits for a decision; with --run all of it that did not end well, also what was cancelled',
      },
      { name: 'dry-run', about: 'print what would be acted on, and change nothing' },
      { name: 'abort', about: 'end RECOVERY; what did not run waits for a decision again' },
      { name: 'watch', about: 'follow it to its end; whether all of it worked is the exit code' },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./recover.ts')).recover(...given),
  },
  {
    name: 'recoveries',
    args: ['[RECOVERY]'],
    summary: 'List recoveries, or show one with its stages and what became of it.',
    options: [
      { name: 'abort', about: 'end RECOVERY; what did not run waits for a decision again' },
      { name: 'watch', about: 'follow RECOVERY to its end; whether all of it worked is the exit code' },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./recover.ts')).recoveries(...given),
  },
  {
    name: 'diff',
    args: ['RUN', 'RUN'],
    summary: 'Compare two runs item by item: verdicts, cost, outputs.',
    run: async (...given) => (await import('./diff.ts')).diff(...given),
  },
]
