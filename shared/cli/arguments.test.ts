import { describe, expect, it } from 'vitest'
import { amountsGiven, fieldsGiven, parse } from './arguments.ts'
import { COMMANDS } from './commands.ts'
import { EXIT, Failure } from './failure.ts'
import { helpOf } from './help.ts'
import { SCHEDULE_SETTINGS } from './schedule-settings.ts'

const given = (...argv: string[]) => {
  const invocation = parse(COMMANDS, argv)
  if (invocation.kind !== 'run') throw new Error('asked for help')
  return invocation.given
}

function refused(...argv: string[]): Failure {
  try {
    parse(COMMANDS, argv)
  } catch (error) {
    return error as Failure
  }
  throw new Error(`${argv.join(' ')} was taken`)
}

describe('an amount', () => {
  const said = (...argv: string[]) => {
    const invocation = parse(COMMANDS, ['submit', 'f', ...argv])
    if (invocation.kind !== 'run') throw new Error('asked for help')
    return [invocation.given.amount('budget'), ...amountsGiven(invocation.command, invocation.given)]
  }

  it.each(['5', '5.00', '$5', '500c'])('of %s is five dollars, and says so', text => {
    expect(said('--budget', text)).toEqual([500, 'budget: $5.00'])
  })

  it('of 1 is a dollar, wherever one is typed', () => {
    expect(said('--budget', '1')).toEqual([100, 'budget: $1.00'])
    const commands = COMMANDS.flatMap(({ name, args = [], options = [] }) =>
      options.filter(({ kind }) => kind === 'amount').map(option => ({ name, args, option: option.name })),
    )
    expect(commands.length).toBeGreaterThan(8)
    for (const { name, args, option } of commands) {
      const typed = given(...name.split(' '), ...args.map(() => 'x'), `--${option}`, '1')
      expect([name, option, typed.amount(option)]).toEqual([name, option, 100])
    }
  })

  it('of 0 says how a dollar sign is quoted', () => {
    expect(said('--budget', '0')).toEqual([0, "budget: $0 (a dollar sign needs quotes: '$50')"])
  })

  it('is not said where none is given, nor of none', () => {
    expect(said()).toEqual([undefined])
    const parsed = parse(COMMANDS, ['schedules', 'update', 's', '--budget', 'none'])
    expect(parsed.kind === 'run' && amountsGiven(parsed.command, parsed.given)).toEqual([])
  })
})

describe('a command line', () => {
  it('takes a word that begins with a dash for an argument that is missing, as ids of items may', () => {
    expect(given('item', '-x').arg(0)).toBe('-x')
    expect(given('item', 'run', '-x').arg(1)).toBe('-x')
    expect(given('item', '-7', '--json').arg(0)).toBe('-7')
    expect(given('item', '--', '-x').arg(0)).toBe('-x')
    expect(given('submit', '-', '--agent', '-a').text('agent')).toBe('-a')
    expect(refused('item', 'run', 'one', '-x').message).toContain('-x')
    expect(refused('runs', '-x').message).toContain('has no option -x')
  })

  it('sets only the fields whose options are given, and clears those given as none', () => {
    const said = (...argv: string[]) =>
      fieldsGiven(given('schedules', 'create', 'agent', '0 2 * * *', ...argv), SCHEDULE_SETTINGS)
    expect(said()).toEqual({})
    expect(said('--budget', '5.00', '--pilot', '20', '--allow-unpriced', '--tag', 'a', '--tag', 'b')).toEqual(
      {
        budget_cents: 500,
        pilot_items: 20,
        allow_unpriced: true,
        tags: ['a', 'b'],
      },
    )
    const nothing = { budget_cents: null, pilot_items: null, callback_url: null, tags: [] }
    const none = ['--budget', '--pilot', '--callback-url', '--tag'].flatMap(name => [name, 'none'])
    expect(said(...none)).toEqual(nothing)
    expect(said('--no-allow-unpriced', '--name', 'none')).toEqual({ allow_unpriced: false, name: null })
    expect(() => said('--allow-unpriced', '--no-allow-unpriced')).toThrow('exclude each other')
    expect(said('--name', 'night', '--callback-url', 'https://a.example')).toEqual({
      name: 'night',
      callback_url: 'https://a.example',
    })
  })

  it('is parsed into arguments, switches, texts, whole numbers and lists', () => {
    const submit = given('submit', 'rows.jsonl', '--agent', 'a', '--budget=0', '--watch')
    expect(submit.arg(0)).toBe('rows.jsonl')
    expect(submit.text('agent')).toBe('a')
    expect(submit.amount('budget')).toBe(0)
    expect(submit.whole('concurrency')).toBeUndefined()
    expect(submit.flag('watch')).toBe(true)
    expect(given('deploy', 'a.ts', '--env', 'A=1', '--env', 'B').list('env')).toEqual(['A=1', 'B'])
    expect(given('deploy', '--url', 'http://x').optionalArg(0)).toBeUndefined()
  })

  it.each([
    [['submit'], 'FILE is missing'],
    [['watch', 'one', 'two'], '"two" is one argument too many'],
    [['submit', 'f', '--budget', '-1'], /budget/],
    [['submit', 'f', '--budget', '5,00'], `--budget is "5,00"; it must be an amount such as 5, 5.00 or 500c`],
    [
      ['submit', 'f', '--concurrency', '1.5'],
      '--concurrency is "1.5"; it must be a whole number of at least 1',
    ],
    [['submit', 'f', '--concurrency', '0'], '--concurrency is "0"; it must be a whole number of at least 1'],
    [
      ['items', 'r', '--outcome', 'bad'],
      '--outcome is "bad"; it must be one of ok, degraded, failed, not_ok',
    ],
    [['runs', '--agent', 'a', '--agent', 'b'], '--agent is given twice'],
    [['runs', '--agent='], '--agent is empty'],
    [['runs', '--agent'], '--agent needs a value: --agent SLUG'],
    [['submit', 'f', '--agent', '--watch'], '--agent needs a value: --agent SLUG'],
    [['submit', 'f', '--watch=1'], '--watch takes no value'],
  ])('%j is a usage error with the reason and the usage line', (argv, message) => {
    const failure = refused(...argv)
    expect(failure).toBeInstanceOf(Failure)
    expect(failure.exit).toBe(EXIT.usage)
    if (typeof message === 'string') expect(failure.message).toBe(message)
    else expect(failure.message).toMatch(message)
    expect(failure.hint).toContain(`usage: assay ${argv[0]}`)
    expect(failure.next).toBe(`assay ${argv[0]} --help`)
  })

  it('with an unknown option is answered with the nearest option, or with all of them', () => {
    expect(refused('submit', 'f', '--budgt', '5')).toMatchObject({
      exit: EXIT.usage,
      message: 'submit has no option --budgt',
      hint: 'did you mean --budget?',
      next: 'assay submit --help',
    })
    expect(refused('runs', '--everything').hint).toBe(
      'there are: --agent, --tag, --state, --since, --limit, --follow, --json, --profile, --help',
    )
    expect(refused('runs', '-n').message).toBe('runs has no option -n')
  })

  it('with an unknown verb is answered with the nearest command, or with those of the noun', () => {
    expect(refused('schedules', 'enabel', 'ID')).toMatchObject({
      message: 'there is no command "schedules enabel"',
      hint: 'did you mean schedules enable?',
    })
    expect(refused('schedules', 'fire', 'ID').hint).toContain('schedules, schedules show')
  })

  it('with an unknown command is answered with the nearest one, or with all of them', () => {
    expect(refused('submitt', 'f')).toMatchObject({ exit: EXIT.usage, hint: 'did you mean submit?' })
    expect(refused('cancle', 'r').hint).toBe('did you mean cancel?')
    expect(refused('destroy').hint).toContain('overview, deploy, package, agents, ')
  })
})

describe('a command line without a command', () => {
  it.each([[[]], [['--json']]])('runs the overview: %j', argv => {
    expect(parse(COMMANDS, argv)).toMatchObject({ kind: 'run', command: { name: 'overview' } })
  })

  it('takes only the options of the overview', () => {
    expect(refused('--everything').message).toBe('overview has no option --everything')
  })
})

describe('help', () => {
  it.each([[['--help']], [['-h']], [['help']]])('%j lists every command', argv => {
    expect(parse(COMMANDS, argv)).toEqual({ kind: 'help', command: undefined })
    for (const { name, summary } of COMMANDS.filter(command => !command.name.includes(' '))) {
      expect(helpOf(COMMANDS, undefined)).toMatch(new RegExp(`^  ${name}( .*)?  ${summary}$`, 'm'))
    }
    expect(helpOf(COMMANDS, undefined)).toContain('12 budget exceeded')
  })

  it.each([[['items', '--help']], [['items', 'r', '-h']], [['help', 'items']]])(
    '%j lists the options of a command',
    argv => {
      const invocation = parse(COMMANDS, argv)
      expect(invocation).toMatchObject({ kind: 'help', command: { name: 'items' } })
      const text = helpOf(
        COMMANDS,
        COMMANDS.find(command => command.name === 'items'),
      )
      expect(text).toMatch(/^usage: assay items RUN \[options\]$/m)
      expect(text).toMatch(/--outcome WHICH .*\(ok, degraded, failed, not_ok\)$/m)
      expect(text).toMatch(/--json /)
    },
  )

  it('of a noun lists its verbs', () => {
    const invocation = parse(COMMANDS, ['help', 'alerts'])
    const text = invocation.kind === 'help' ? helpOf(COMMANDS, invocation.command) : ''
    expect(text).toMatch(/^ {2}assay alerts mute RULE +Raise no more alerts by a rule\.$/m)
    expect(parse(COMMANDS, ['alerts', 'mute', '--help'])).toMatchObject({ command: { name: 'alerts mute' } })
  })

  it.each(['--version', 'version'])('%s asks for the version', word => {
    expect(parse(COMMANDS, [word])).toEqual({ kind: 'version' })
  })

  it('fits a terminal of 100 columns', () => {
    for (const command of [undefined, ...COMMANDS]) {
      for (const line of helpOf(COMMANDS, command).split('\n'))
        expect(line.length, line).toBeLessThanOrEqual(100)
    }
  })
})
