// Parses a command line by a table of commands, from which usage errors and help.ts are made as well. Guarantee: a
// command runs only with arguments and options that it declares, each of its declared kind.

import { parseArgs } from 'node:util'
import { nearest } from '../kernel/nearest.ts'
import { centsOfAmount } from '../prices/rules/amounts.ts'
import { secondsOfTime } from '../view/time.ts'
import type { ExitCode } from './failure.ts'
import { type Advice, usageFailure } from './failure.ts'
import { money } from './format.ts'
import type { Session } from './session.ts'

export interface Option {
  name: string
  about: string
  /** Placeholder of the value in the help; without it the option is a switch. */
  value?: string
  /** `whole` takes a whole number of at least `least`; `amount` money: 5, 5.00 or $5 or 500c; `time` 90s, 30m, 24h or 7d. */
  kind?: 'text' | 'whole' | 'amount' | 'time' | 'list'
  least?: number
  /** The field of the API, if the value is sent as given. */
  field?: string
  /** `none` may be given as the value, and removes the setting; a switch is taken back by `--no-NAME`. */
  none?: true
  choices?: readonly string[]
}

export interface Command {
  /** One word, or the name of another command and a verb: `alerts mute`, `admin accounts create`. */
  name: string
  /** In brackets if the argument is optional. */
  args?: readonly string[]
  summary: string
  options?: readonly Option[]
  /** Needs a member: sent as the signed-in member, if somebody is signed in. */
  member?: true
  /** The option that needs a member, of a command that does without it. */
  memberFor?: string
  /** Sent with the operator's credential. */
  operator?: true
  /** Makes or chooses profiles, so the named profile need not exist. */
  anyProfile?: true
  /** Returns the exit code; nothing is `EXIT.ok`. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
  run(session: Session, given: Given): Promise<ExitCode | void>
}

/** The arguments and options given, by the names of the table. */
export interface Given {
  /** The argument at this place; one declared without brackets always exists. */
  arg(place: number): string
  optionalArg(place: number): string | undefined
  flag(name: string): boolean
  text(name: string): string | undefined
  /** Null if `none` was given. */
  textOrNone(name: string): string | null | undefined
  whole(name: string): number | undefined
  /** Null if `none` was given. */
  wholeOrNone(name: string): number | null | undefined
  /** Whole cents. */
  amount(name: string): number | undefined
  /** Null if `none` was given. */
  amountOrNone(name: string): number | null | undefined
  /** Whole seconds. */
  seconds(name: string): number | undefined
  /** Null if `none` was given. */
  secondsOrNone(name: string): number | null | undefined
  list(name: string): string[]
}

const GLOBAL_OPTIONS: readonly Option[] = [
  { name: 'json', about: 'one JSON object a line, as without a terminal' },
  {
    name: 'profile',
    value: 'NAME',
    about: 'as whom, and which server: what assay login --profile NAME kept; or ASSAY_PROFILE',
  },
  { name: 'help', about: 'this help' },
]

/** The options of a command and the global ones; a command's own description of a global option wins. */
export const optionsOf = ({ options = [] }: Command): readonly Option[] => [
  ...options.flatMap(option => (isSwitchWithNone(option) ? [option, noneOf(option)] : [option])),
  ...GLOBAL_OPTIONS.filter(({ name }) => !options.some(option => option.name === name)),
]

const isSwitchWithNone = ({ value, none }: Option) => none === true && value === undefined
const noneOf = ({ name }: Option): Option => ({ name: `no-${name}`, about: `takes --${name} back` })

/** The command that runs if the program's name is typed alone. */
export const OVERVIEW = 'overview'

export type Invocation =
  | { kind: 'help'; command: Command | undefined }
  | { kind: 'version' }
  | { kind: 'run'; command: Command; given: Given }

/** @throws Failure `usage` */
export function parse(commands: readonly Command[], argv: readonly string[]): Invocation {
  // Without a command, with or without options, the overview runs.
  if (argv[0] === undefined || /^--(?!help$|version$)/.test(argv[0]))
    return parse(commands, [OVERVIEW, ...argv])
  const [name] = argv
  if (name === 'help' || name === '--help' || name === '-h') {
    return { kind: 'help', command: commandOf(commands, argv.slice(1)) }
  }
  if (name === '--version' || name === 'version') return { kind: 'version' }
  const command = commandOf(commands, argv)
  if (command === undefined) throw unknownCommand(commands, name)
  const rest = argv.slice(command.name.split(' ').length)
  const verbs = verbsOf(commands, command)
  if (verbs.length > 0 && command.args === undefined && /^[^-]/.test(rest[0] ?? ''))
    throw unknownVerb(command, verbs, rest[0]!)
  if (rest.includes('--help') || rest.includes('-h')) return { kind: 'help', command }
  const { values, positionals } = parsed(command, rest)
  checkArgs(command, positionals)
  checkOptions(command, values)
  return { kind: 'run', command, given: givenOf(values, positionals) }
}

/** The command that the words begin with; a noun with one of its verbs wins over the noun alone. */
const commandOf = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands
    .filter(({ name }) => name.split(' ').every((part, at) => words[at] === part))
    .toSorted((a, b) => b.name.length - a.name.length)[0]

export const verbsOf = (commands: readonly Command[], noun: Command) =>
  commands.filter(({ name }) => name.startsWith(`${noun.name} `))

type Values = Record<string, string | boolean | string[] | undefined>

function parsed(command: Command, rest: string[]): { values: Values; positionals: string[] } {
  const known = optionsOf(command)
  const options = Object.fromEntries(
    known.map(({ name, value, kind }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: kind === 'list' },
    ]),
  )
  // In strict mode, parseArgs would report mistakes in its own words.
  const { values, positionals, tokens } = parseArgs({
    args: withDashedLast(command, known, rest),
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const seen = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = known.find(option => option.name === name)
    if (option === undefined || !rawName.startsWith('--')) throw unknownOption(command, known, rawName)
    if (option.value === undefined && value !== undefined) throw misuse(command, `${rawName} takes no value`)
    if (option.value !== undefined && (value === undefined || (!inlineValue && /^--./.test(value))))
      throw misuse(command, `${rawName} needs a value: ${rawName} ${option.value}`)
    if (seen.has(name) && option.kind !== 'list') throw misuse(command, `${rawName} is given twice`)
    seen.add(name)
  }
  return { values: values as Values, positionals }
}

/**
 * Ids of items may begin with a dash, and no option is one letter: such a word is an argument where one is still missing.
 * It is put behind `--`, with all others, so that their order stays.
 */
function withDashedLast({ args = [] }: Command, known: readonly Option[], rest: readonly string[]): string[] {
  const [words, options]: [string[], string[]] = [[], []]
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!
    if (word === '--') return [...options, '--', ...words, ...rest.slice(at + 1)]
    const option = known.find(({ name }) => word === `--${name}`)
    if (word.startsWith('--') || (word.startsWith('-') && word !== '-' && words.length >= args.length))
      options.push(word)
    else words.push(word)
    if (option?.value !== undefined && rest[at + 1] !== undefined) options.push(rest[++at]!)
  }
  return words.some(word => /^-./.test(word)) ? [...options, '--', ...words] : [...rest]
}

function unknownOption(command: Command, known: readonly Option[], rawName: string) {
  const names = known.map(option => `--${option.name}`)
  const near = nearest(rawName, names, 2)
  return usageFailure(`${command.name} has no option ${rawName}`, {
    hint: near === undefined ? `there are: ${names.join(', ')}` : `did you mean ${near}?`,
    next: `assay ${command.name} --help`,
  })
}

function checkArgs(command: Command, positionals: string[]): void {
  const { args = [] } = command
  const needed = args.filter(arg => !arg.startsWith('['))
  const missing = needed[positionals.length]
  if (missing !== undefined) throw misuse(command, `${missing} is missing`)
  const extra = positionals[args.length]
  if (extra !== undefined) throw misuse(command, `"${extra}" is one argument too many`)
}

function checkOptions(command: Command, values: Values): void {
  for (const { name, kind, least = 0, choices, none } of command.options ?? []) {
    const value = values[name]
    if (value !== undefined && values[`no-${name}`] !== undefined)
      throw misuse(command, `--${name} and --no-${name} exclude each other`)
    if (typeof value !== 'string') continue
    const isWhole = /^\d+$/.test(value) && Number.isSafeInteger(Number(value)) && Number(value) >= least
    if (kind === 'whole' && !isWhole && !(none && value === 'none')) {
      const also = none ? ', or none' : ''
      throw misuse(command, `--${name} is "${value}"; it must be a whole number of at least ${least}${also}`)
    }
    if (kind === 'amount' && !(none && value === 'none') && centsOfAmount(value) === undefined) {
      throw misuse(command, `--${name} is "${value}"; it must be an amount such as 5, 5.00 or 500c`)
    }
    if (kind === 'time' && !(none && value === 'none') && secondsOfTime(value) === undefined) {
      throw misuse(command, `--${name} is "${value}"; it must be a time such as 90s, 30m, 24h or 7d`)
    }
    if (choices !== undefined && !choices.includes(value)) {
      throw misuse(command, `--${name} is "${value}"; it must be one of ${choices.join(', ')}`)
    }
    if (value === '') throw misuse(command, `--${name} is empty`)
  }
}

function givenOf(values: Values, positionals: string[]): Given {
  const text = (name: string) => values[name] as string | undefined
  const amount = (name: string) =>
    text(name) === undefined || text(name) === 'none' ? undefined : centsOfAmount(text(name)!)
  const whole = (name: string) => (text(name) === undefined ? undefined : Number(text(name)))
  const seconds = (name: string) => (text(name) === undefined ? undefined : secondsOfTime(text(name)!))
  return {
    arg: place => positionals[place]!,
    optionalArg: place => positionals[place],
    flag: name => values[name] === true,
    text,
    textOrNone: name => (text(name) === 'none' ? null : text(name)),
    whole,
    wholeOrNone: name => (text(name) === 'none' ? null : whole(name)),
    amount,
    amountOrNone: name => (text(name) === 'none' ? null : amount(name)),
    seconds,
    secondsOrNone: name => (text(name) === 'none' ? null : seconds(name)),
    list: name => (values[name] as string[] | undefined) ?? [],
  }
}

/** What the amounts that were typed are in dollars, said before anything is sent. */
export function amountsGiven({ options = [] }: Command, given: Given): string[] {
  const amounts = options.filter(({ kind }) => kind === 'amount').map(({ name }) => name)
  return amounts.flatMap(name => {
    const cents = given.amount(name)
    if (cents === undefined) return []
    // A shell turns an unquoted $50 into 0: it replaces $5 by its fifth argument.
    const hint = given.text(name) === '0' ? " (a dollar sign needs quotes: '$50')" : ''
    return [`${name}: ${money(cents / 100)}${hint}`]
  })
}

const misuse = (command: Command, message: string) =>
  usageFailure(message, { hint: `usage: ${usageOf(command)}`, next: `assay ${command.name} --help` })

function unknownCommand(commands: readonly Command[], name: string) {
  const names = commands.filter(command => !isVerb(command)).map(command => command.name)
  const near = nearest(name, names, Math.min(2, name.length - 1))
  return usageFailure(`there is no command "${name}"`, {
    hint: near === undefined ? `there are: ${names.join(', ')}` : `did you mean ${near}?`,
    next: 'assay --help',
  })
}

function unknownVerb({ name }: Command, verbs: readonly Command[], word: string) {
  const names = verbs.map(verb => verb.name)
  const near = nearest(`${name} ${word}`, names, 2)
  return usageFailure(`there is no command "${name} ${word}"`, {
    hint: near === undefined ? `there are: ${[name, ...names].join(', ')}` : `did you mean ${near}?`,
    next: `assay ${name} --help`,
  })
}

export const isVerb = ({ name }: Command) => name.includes(' ')

export const usageOf = ({ name, args = [], options = [] }: Command) =>
  ['assay', name, ...args, ...(options.length > 0 ? ['[options]'] : [])].join(' ')

/**
 * The JSON text of an object with `input` as typed, so that its numbers keep their digits; without one, of the fields.
 *
 * @throws Failure `usage` if the input is not JSON
 */
export function withInput(input: string | undefined, fields: object, advice?: Advice): string {
  const rest = JSON.stringify(fields)
  if (input === undefined) return rest
  try {
    JSON.parse(input)
  } catch (error) {
    throw usageFailure(`--input is not JSON: ${(error as Error).message}`, advice)
  }
  return `{"input":${input},${rest.slice(1)}`.replace(/,}$/, '}')
}

/** The values given for these options, by the API fields that they are sent as. */
export function fieldsGiven(given: Given, options: readonly Option[]): Record<string, unknown> {
  const fields = options.flatMap(option => {
    const value = option.field === undefined ? undefined : valueGiven(given, option)
    return value === undefined ? [] : [[option.field!, value] as const]
  })
  return Object.fromEntries(fields)
}

function valueGiven(given: Given, { name, value, kind, none }: Option): unknown {
  if (value === undefined) return given.flag(name) || (none && given.flag(`no-${name}`) ? false : undefined)
  if (kind === 'whole') return given.wholeOrNone(name)
  if (kind === 'amount') return given.amountOrNone(name)
  if (kind === 'time') return given.secondsOrNone(name)
  if (kind !== 'list') return none ? given.textOrNone(name) : given.text(name)
  const list = given.list(name)
  if (none && list.length === 1 && list[0] === 'none') return []
  return list.length > 0 ? list : undefined
}
