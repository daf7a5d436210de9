// Makes the output of --help from the table of commands. Guarantee: no line is wider than the terminal.

import { type Command, isVerb, type Option, optionsOf, usageOf, verbsOf } from './arguments.ts'
import { wrap } from './format.ts'

const HELP_COLUMNS = 100
const PARAGRAPH_COLUMNS = 88

/** @param columns of the terminal; undefined if the output is no terminal */
export function helpOf(
  commands: readonly Command[],
  command: Command | undefined,
  columns: number = HELP_COLUMNS,
): string {
  const width = Math.min(columns, HELP_COLUMNS)
  return command === undefined ? overview(commands, width) : commandHelp(commands, command, width)
}

/** The least columns for a meaning next to its words; with fewer left, meanings go below the words. */
const LEAST_MEANING = 28

/** Rows with words on the left and their meaning next to them. */
function explained(rows: readonly (readonly [words: string, meaning: string])[], columns: number): string[] {
  const widest = Math.max(0, ...rows.map(([words]) => words.length))
  const isBeside = columns - widest - 4 >= LEAST_MEANING
  const width = isBeside ? widest : 4
  return rows.flatMap(([words, meaning]) => {
    const lines = wrap(meaning, columns - width - 4).map(line => `  ${' '.repeat(width)}  ${line}`)
    if (!isBeside) return [...hanging(words, columns, '  ', '      '), ...lines]
    return [`  ${words.padEnd(width)}  ${lines[0]!.slice(width + 4)}`, ...lines.slice(1)]
  })
}

const hanging = (text: string, columns: number, first: string, further: string) =>
  wrap(text, columns - further.length).map((line, at) => (at === 0 ? first : further) + line)

function overview(commands: readonly Command[], columns: number): string {
  const shown = commands.filter(command => !isVerb(command))
  const paragraphs = [
    'assay COMMAND --help prints what else can be said to a command. --json works everywhere, and assay --version prints which one this is.',
    'Server and key are ASSAY_BASE_URL and ASSAY_API_KEY, else those of the stack that npm start runs here; or a profile: assay login --profile NAME.',
    'Exit codes: 0 all ok, 10 degraded, 11 failed, 12 budget exceeded, 13 cancelled, 2 wrong usage, 3 refused or unanswered by the server, or answered by a proxy before it.',
  ]
  return [
    'usage: assay [COMMAND] [options]',
    '',
    ...explained(
      shown.map(({ name, args = [], summary }) => [[name, ...args].join(' '), summary]),
      columns,
    ),
    ...paragraphs.flatMap(text => ['', ...wrap(text, Math.min(columns, PARAGRAPH_COLUMNS))]),
  ].join('\n')
}

function commandHelp(commands: readonly Command[], command: Command, columns: number): string {
  const options = optionsOf(command)
  const verbs = verbsOf(commands, command)
  return [
    ...hanging(`usage: ${usageOf(command)}`, columns, '', '  '),
    '',
    ...wrap(command.summary, columns),
    '',
    ...explained(
      options.map(option => [leftOf(option), aboutOf(option)]),
      columns,
    ),
    ...(verbs.length > 0 ? [''] : []),
    ...explained(
      verbs.map(({ name, args = [], summary }) => [['assay', name, ...args].join(' '), summary]),
      columns,
    ),
  ].join('\n')
}

const leftOf = ({ name, value }: Option) => `--${name}${value === undefined ? '' : ` ${value}`}`
const aboutOf = ({ about, choices }: Option) =>
  choices === undefined ? about : `${about} (${choices.join(', ')})`
