#!/usr/bin/env node
// The `assay` command. Guarantee: it prompts only a person at a terminal; it ends with an exit code of EXIT, whatever
// happens.

import { VERSION } from '../kernel/version.ts'
import { findAccess, findOperatorAccess, serverOf } from './access.ts'
import { type Api, asFailure, connect } from './api.ts'
import { amountsGiven, type Command, parse } from './arguments.ts'
import { COMMANDS } from './commands.ts'
import { diskFailure, EXIT, type ExitCode, Failure, notWritten } from './failure.ts'
import { helpOf } from './help.ts'
import { createOutput, mayColor } from './output.ts'
import { Retrying, retried } from './retrying.ts'
import type { Session } from './session.ts'
import { memberFetch, signedInAt, withProfile } from './signed-in.ts'

const { argv, stdout, stderr } = process
/** The environment, with the chosen profile applied. */
let env: Record<string, string | undefined> = process.env
const json = argv.includes('--json') || !stdout.isTTY
// The command as the user types it: with npx, if it was started with npx.
const program = env.npm_command === 'exec' ? 'npx --no assay' : 'assay'
const output = createOutput({ out: stdout, err: stderr, json, color: mayColor(stdout, env), program })

// A reader that closes the pipe early, such as head, is no failure.
stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(EXIT.ok)
  output.fail(notWritten(error, 'the output'))
  process.exit(EXIT.usage)
})
stderr.on('error', () => {}) // the exit code still says how it ended

let connected: Api | undefined
let asked: Command | undefined
const retrying = new Retrying(output, Date.now)
const session: Session = {
  get api() {
    connected ??= retried(connection(asked), retrying)
    return connected
  },
  output,
  retrying,
  words: argv.slice(2),
  folder: process.cwd(),
  get env() {
    return env
  },
  now: Date.now,
}

/**
 * Connects as the chosen profile, else with the key of the environment or of the local stack. Connects as the signed-in
 * member if there is no key, or if the command needs a member; operator commands use the operator's credential.
 */
function connection({ member, operator }: Pick<Command, 'member' | 'operator'> = {}): Api {
  if (operator) return connect(findOperatorAccess(env, process.cwd()))
  const base_url = serverOf(env, process.cwd())
  const asMember = () => connect({ base_url, api_key: '' }, memberFetch(env, base_url, Date.now))
  const isSignedIn = signedInAt(env, base_url) !== undefined
  if ((member && isSignedIn) || env.ASSAY_PROFILE) return asMember()
  try {
    return connect(findAccess(env, process.cwd()))
  } catch (error) {
    if (isSignedIn && error instanceof Failure && error.code === 'no_credentials') return asMember()
    throw error
  }
}

process.exitCode = await main()

async function main(): Promise<ExitCode> {
  try {
    if (argv[2] === '__ids') {
      const { recentIds } = await import('./recent-ids.ts')
      for (const id of await recentIds(argv[3] ?? '', env, process.cwd(), Date.now())) stdout.write(`${id}\n`)
      return EXIT.ok
    }
    const invocation = parse(COMMANDS, argv.slice(2))
    if (invocation.kind === 'help') {
      stdout.write(`${helpOf(COMMANDS, invocation.command, stdout.columns)}\n`)
      return EXIT.ok
    }
    if (invocation.kind === 'version') {
      stdout.write(`assay ${VERSION}\n`)
      return EXIT.ok
    }
    const { command, given } = invocation
    const isForMember = command.memberFor !== undefined && given.list(command.memberFor).length > 0
    asked = isForMember ? { ...command, member: true } : command
    env = withProfile(env, invocation.given.text('profile'), asked.anyProfile)
    for (const note of amountsGiven(invocation.command, invocation.given)) output.note(note)
    return (await invocation.command.run(session, invocation.given)) ?? EXIT.ok
  } catch (error) {
    const failure = asFailure(error) ?? diskFailure(error)
    if (failure === undefined) {
      stderr.write(`${error instanceof Error ? error.stack : error}\n`)
      return EXIT.bug
    }
    output.fail(failure)
    return failure.exit
  }
}
