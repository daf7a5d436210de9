// The table of commands: their names, arguments, options and code, which is loaded when a command runs.

import { ANSWER_CHECKS, REFUSAL_CHOICES } from '../grading/vocabulary.ts'
import { OUTCOMES, RUN_STATES } from '../items/vocabulary.ts'
import { ESCAPES } from '../submission/rules/csv.ts'
import { SEARCHED_IN } from '../traces/vocabulary.ts'
import { ACCOUNT_COMMANDS } from './account-commands.ts'
import { ADMINISTRATION_COMMANDS } from './administer-commands.ts'
import { AGENT_COMMANDS } from './agent-commands.ts'
import { ALERT_COMMANDS } from './alert-commands.ts'
import { type Command, type Option, OVERVIEW } from './arguments.ts'
import { DELIVERY_COMMANDS } from './delivery-commands.ts'
import { ITEM_ARGS } from './find-item.ts'
import { LIST_OPTIONS, sinceOption } from './list-options.ts'
import { OPERATE_COMMANDS } from './operate-commands.ts'
import { PRICE_COMMANDS } from './price-commands.ts'
import { PROJECT_COMMANDS } from './project-commands.ts'
import { RECOVERY_COMMANDS } from './recovery-commands.ts'
import { SCHEDULE_COMMANDS } from './schedule-commands.ts'
import { allowUnpriced, patienceOption, tagOption } from './start-options.ts'
import { TRIGGER_COMMANDS } from './trigger-commands.ts'
import { UPSTREAM_COMMANDS } from './upstream-commands.ts'

const watch: Option = { name: 'watch', about: 'follow the run to its end; its verdict is the exit code' }
const callbackUrl: Option = {
  name: 'callback-url',
  value: 'URL',
  about: 'gets a signed notification when the run ends',
}
export const COMMANDS: readonly Command[] = [
  ...PROJECT_COMMANDS,
  {
    name: OVERVIEW,
    summary: 'Show what matters now, with the next command to type; assay alone does.',
    run: async session => (await import('./overview.ts')).overview(session),
  },
  ...AGENT_COMMANDS,
  {
    name: 'run',
    args: ['AGENT'],
    summary: 'Run an agent over one item.',
    options: [
      { name: 'input', value: 'JSON', about: 'the input' },
      { name: 'item-id', value: 'ID', about: 'your own identifier of the item' },
      { name: 'partition-key', value: 'KEY', about: 'for example a tenant' },
      patienceOption,
      tagOption,
      { name: 'idempotency-key', value: 'KEY', about: 'the same key and input start one run, for 24 hours' },
      callbackUrl,
      watch,
    ],
    run: async (...given) => (await import('./submit.ts')).run(...given),
  },
  {
    name: 'submit',
    args: ['FILE'],
    summary: 'Run an agent over a file: JSON, CSV, TSV, Excel, Parquet, .gz or .zst.',
    options: [
      { name: 'agent', value: 'SLUG', about: 'the agent' },
      {
        name: 'pilot',
        value: 'N',
        kind: 'whole',
        least: 1,
        about: 'first only so many rows, spread over the file; then print what the rest would cost and ask',
      },
      { name: 'yes', about: 'go on after the pilot without asking, unless none of it is ok' },
      { name: 'item-id', value: 'FIELD', about: 'the field or column that holds their identifier' },
      {
        name: 'partition-key',
        value: 'FIELD',
        about: 'the field or column that holds, for example, their tenant',
      },
      {
        name: 'budget',
        value: 'AMOUNT',
        kind: 'amount',
        about: 'money the run may spend: 5 or 5.00 is dollars',
      },
      {
        name: 'escape',
        value: 'HOW',
        choices: [...ESCAPES, '\\'],
        about:
          'how a table escapes quotes inside quotes, beside doubling them: spark or \\ for \\" alone, mysql also for \\n, \\t and \\N',
      },
      {
        name: 'as-answers',
        about:
          'the file is a batch output of OpenAI, Anthropic, Gemini or others: each item has its custom_id or key, and {answer, error} as input',
      },
      { name: 'sheet', value: 'NAME', about: 'the sheet of a workbook, where several have rows' },
      allowUnpriced,
      { name: 'concurrency', value: 'N', kind: 'whole', least: 1, about: 'items at work at once at most' },
      patienceOption,
      { name: 'name', value: 'NAME', about: 'a name for the run' },
      tagOption,
      callbackUrl,
      { name: 'idempotency-key', value: 'KEY', about: 'the same key and file start one run, for 24 hours' },
      { name: 'dry-run', about: 'only read the file, and print the plan: items, version, budget, how long' },
      watch,
    ],
    run: async (...given) => (await import('./submit.ts')).submit(...given),
  },
  {
    name: 'runs',
    summary: 'List runs, newest first.',
    options: [
      { name: 'agent', value: 'SLUG', about: 'only runs of this agent' },
      { name: 'tag', value: 'TAG', about: 'only runs that have this tag' },
      {
        name: 'state',
        value: 'STATE',
        choices: RUN_STATES,
        about: 'only runs that have not ended, that have, or that wait for a person',
      },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./read.ts')).runs(...given),
  },
  {
    name: 'tag',
    args: ['RUN'],
    summary: 'Show or change the tags of a run, by which it is found again.',
    options: [
      { name: 'add', value: 'TAG', kind: 'list', about: 'one more; may be given several times' },
      { name: 'remove', value: 'TAG', kind: 'list', about: 'one that it has; may be given several times' },
    ],
    run: async (...given) => (await import('./tag.ts')).tag(...given),
  },
  {
    name: 'watch',
    args: ['RUN'],
    summary: 'Follow a run to its end; its verdict is the exit code.',
    run: async (...given) => (await import('./watch.ts')).watch(...given),
  },
  {
    name: 'items',
    args: ['RUN'],
    summary: 'List the items of a run.',
    options: [
      {
        name: 'outcome',
        value: 'WHICH',
        choices: [...OUTCOMES, 'not_ok'],
        about: 'only items with this verdict',
      },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./items.ts')).items(...given),
  },
  {
    name: 'item',
    args: ITEM_ARGS,
    summary: 'Show an item, by its id or yours: its record and its trace.',
    run: async (...given) => (await import('./read.ts')).item(...given),
  },
  {
    name: 'results',
    args: ['[RUN]'],
    summary: 'Hand on results of a run and its replays, or an agent: each item once.',
    options: [
      { name: 'agent', value: 'SLUG', about: 'of all runs of this agent, instead of RUN' },
      sinceOption,
      { name: 'csv', about: 'as CSV; what a terminal gets, and a file that ends in .csv' },
      { name: 'json', about: 'as one JSON array' },
      { name: 'ndjson', about: 'as one JSON object a line; what another program gets' },
      {
        name: 'fields',
        value: 'A,B.C',
        about: 'only these, parts of input and output with dots: item_id,outcome_status,output.label',
      },
      {
        name: 'only',
        value: 'WHICH',
        choices: ['ok', 'not_ok', 'all'],
        about: 'ok: what worked in some try; not_ok: what has not; all by default',
      },
      { name: 'raw', about: 'leave cells of CSV that begin with = + - @ as they are' },
      {
        name: 'out',
        value: 'FILE',
        about:
          'into a file, which is there only once it is whole; its name says the format: .csv, .json, .jsonl, .xlsx or .parquet, and .gz or .zst behind it',
      },
    ],
    run: async (...given) => (await import('./results.ts')).results(...given),
  },
  {
    name: 'grade',
    args: ['FILE|RUN'],
    summary: 'Grade recorded answers by the rules of today, and say what differs.',
    options: [
      {
        name: 'agent',
        value: 'SLUG',
        about: 'by what this agent declares now; of a RUN by default its own',
      },
      {
        name: 'refusals',
        value: 'WHICH',
        choices: REFUSAL_CHOICES,
        about: 'refusals by wording that degrade; by default as declared, else sure',
      },
      {
        name: 'checks',
        value: 'A,B',
        about: `what answers are looked at for: ${ANSWER_CHECKS.join(', ')}; none for nothing; by default as declared`,
      },
    ],
    run: async (...given) => (await import('./grade.ts')).grade(...given),
  },
  {
    name: 'search',
    args: ['[WORDS]'],
    summary: 'Search the steps of all items: names, errors, inputs and outputs.',
    options: [
      {
        name: 'in',
        value: 'WHERE',
        choices: SEARCHED_IN,
        about: 'messages: only words that people, models and tools wrote; everything by default',
      },
      { name: 'outcome', value: 'WHICH', choices: OUTCOMES, about: 'only steps with this verdict' },
      { name: 'reason', value: 'TOKEN', about: 'only steps with this reason, such as refusal' },
      { name: 'item-id', value: 'ID', about: 'only steps of items with this identifier of yours' },
      { name: 'prefix', value: 'TEXT', about: 'only of items whose identifier begins like this' },
      { name: 'run', value: 'RUN', about: 'only steps of this run' },
      { name: 'min-cost', value: 'USD', about: 'only steps that cost at least this' },
      { name: 'from', value: 'TIME', about: 'only steps from this time on, such as 2026-03-02T09:30:00Z' },
      { name: 'to', value: 'TIME', about: 'only steps before this time' },
      { name: 'sort', value: 'HOW', choices: ['recent', 'cost'], about: 'recent by default' },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./search.ts')).search(...given),
  },
  {
    name: 'cancel',
    args: ['RUN'],
    summary: 'Cancel a run; items in flight finish, or are aborted with --now.',
    options: [{ name: 'now', about: 'abort items in flight too, and say what they had cost' }],
    run: async (...given) => (await import('./read.ts')).cancel(...given),
  },
  {
    name: 'verify',
    args: ['RUN'],
    summary: 'Prove that no item of a run was lost or counted twice.',
    run: async (...given) => (await import('./read.ts')).verify(...given),
  },
  {
    name: 'doctor',
    summary: 'Check server, stores, clocks and counters, and say what fixes them.',
    run: async session => (await import('./doctor.ts')).doctor(session),
  },
  {
    name: 'completion',
    args: ['SHELL'],
    summary: 'Print what makes bash, zsh or fish complete commands, options and ids.',
    run: async (...given) => (await import('./completion.ts')).completion(...given, COMMANDS),
  },
  ...RECOVERY_COMMANDS,
  ...UPSTREAM_COMMANDS,
  ...SCHEDULE_COMMANDS,
  ...TRIGGER_COMMANDS,
  ...ALERT_COMMANDS,
  ...DELIVERY_COMMANDS,
  ...PRICE_COMMANDS,
  ...ADMINISTRATION_COMMANDS,
  ...OPERATE_COMMANDS,
  ...ACCOUNT_COMMANDS,
]
