// Completion for bash, zsh and fish. Guarantee: the scripts are made from the table of commands, so they offer exactly
// the existing commands; only ids are queried, from the command itself, which answers from a short-lived cache file.

import { type Command, type Given, type Option, optionsOf } from './arguments.ts'
import { bashScript, type Completions, fishScript, zshScript } from './completion-scripts.ts'
import { usageFailure } from './failure.ts'
import type { Session } from './session.ts'

export const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** The arguments and values that are ids, by their placeholders in the table. */
const ID_ARGUMENTS: Record<string, string> = {
  RUN: 'runs',
  AGENT: 'agents',
  SCHEDULE: 'schedules',
  DELIVERY: 'deliveries',
  RECOVERY: 'recoveries',
  ITEM: 'items',
}
/** Commands whose NAME is the name of a trigger. */
const TRIGGER_COMMANDS = ['triggers rename', 'triggers secret', 'triggers delete']

function completionsOf(commands: readonly Command[]): Completions {
  const found: Completions = { commands: [], options: {}, choices: {}, ids: {} }
  for (const command of commands) {
    const { name, args = [], summary, options = [] } = command
    found.commands.push({ name, about: summary })
    found.options[name] = optionsOf(command).map(option => ({
      name: `--${option.name}`,
      about: option.about,
      takesValue: option.value !== undefined,
    }))
    for (const option of options) addValues(found, `${name} --${option.name}`, option)
    const kind = TRIGGER_COMMANDS.includes(name) ? 'triggers' : ID_ARGUMENTS[placeholderOf(args)]
    if (kind !== undefined) found.ids[name] = kind
    if (name === 'completion') found.choices[name] = Object.keys(SHELLS)
  }
  return found
}

/** What the first argument is; of an item the run may be left out. */
function placeholderOf(args: readonly string[]): string {
  const names = args.map(arg => arg.replace(/[[\]]/g, ''))
  return names.includes('ITEM') ? 'ITEM' : (names[0] ?? '')
}

function addValues(found: Completions, place: string, option: Option): void {
  if (option.choices !== undefined) found.choices[place] = option.choices
  else if (option.value === 'RUN') found.ids[place] = 'runs'
  else if (option.name === 'agent') found.ids[place] = 'agents'
}

/** @throws Failure `usage` for an unknown shell */
export function completion({ output }: Session, given: Given, commands: readonly Command[]): void {
  const script = SHELLS[given.arg(0) as keyof typeof SHELLS]
  if (script === undefined)
    throw usageFailure(`there is no completion for "${given.arg(0)}"`, {
      hint: `there is: ${Object.keys(SHELLS).join(', ')}`,
      next: 'assay completion --help',
    })
  output.text(script(completionsOf(commands)))
}
