// Completion as shells do it: each script is loaded into a real shell, and Tab is pressed.

import { spawnSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { assay, CHECKOUT, type Stack, startStack } from '../support/stack.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { KEYS, noTerminal, openTerminal, type Terminal } from '../support/terminal.ts'

const AGENT = `
import { agent } from 'assay'
@agent({ name: 'Completed Agent', description: 'returns' })
export default class Completed { run() { return 1 } }
`
const CLEAR_LINE = '\x15'

// Each completion of ids starts a process.
vi.setConfig({ testTimeout: 120_000 })

let stack: Stack
let folder: TempFolder
let runId: string
beforeAll(async () => {
  folder = await tempFolder()
  await writeFile(join(folder.path, 'agent.ts'), AGENT)
  await mkdir(join(folder.path, 'bin'))
  await symlink(join(CHECKOUT, 'shared/cli/assay.mjs'), join(folder.path, 'bin/assay'))
  stack = await startStack()
  await assay(stack, ['deploy', join(folder.path, 'agent.ts')]).done
  const ran = await assay(stack, ['run', 'completed-agent', '--input', '{}', '--watch']).done
  runId = ran.events[0].run_id
})
afterAll(async () => {
  await stack?.close()
  await folder?.remove()
})

const SHELLS = [
  {
    shell: 'bash',
    start: ['bash', '--norc', '--noprofile', '-i'],
    load: 'eval "$(assay completion bash)"; bind "set enable-bracketed-paste off"',
  },
  {
    shell: 'zsh',
    start: ['zsh', '-f', '-i'],
    load: 'autoload -Uz compinit; compinit -D -u; eval "$(assay completion zsh)"; PROMPT="\\$ "',
  },
  { shell: 'fish', start: ['fish', '--no-config', '-i'], load: 'assay completion fish | source' },
]

/** Why the test of a shell is skipped, if it is. */
function missing(shell: string): string | undefined {
  if (noTerminal !== undefined) return noTerminal
  return spawnSync(shell, ['--version']).status === 0 ? undefined : `${shell} is not installed`
}

async function loaded(start: string[], load: string): Promise<Terminal> {
  const terminal = await openTerminal(start, {
    columns: 110,
    rows: 30,
    folder: folder.path,
    env: {
      ...stack.env,
      PS1: '$ ',
      HOME: folder.path,
      XDG_CACHE_HOME: join(folder.path, 'cache'),
      XDG_CONFIG_HOME: join(folder.path, 'config'),
      XDG_DATA_HOME: join(folder.path, 'data'),
      PATH: `${join(folder.path, 'bin')}:${join(CHECKOUT, 'node_modules/.bin')}:${process.env.PATH}`,
    },
  })
  terminal.type(`${load}; printf 'load%s\\n' ed${KEYS.enter}`)
  await terminal.until(/^loaded$/m)
  return terminal
}

describe.each(SHELLS)('$shell', ({ shell, start, load }) => {
  const why = missing(shell)
  it.skipIf(why !== undefined)(
    `completes commands, options, fixed values, and ids of the server${why === undefined ? '' : `, left out: ${why}`}`,
    async () => {
      await using parts = new AsyncDisposableStack()
      const terminal = parts.adopt(await loaded(start, load), one => one.close())
      const completes = async (typed: string, shows: RegExp) => {
        terminal.type(`${typed}${KEYS.tab}`)
        await terminal.until(shows)
        terminal.type(CLEAR_LINE)
      }
      await completes('assay sched', /assay schedules/)
      await completes('assay schedules previ', /assay schedules preview/)
      await completes('assay items --outc', /assay items --outcome/)
      await completes('assay items --outcome degr', /--outcome degraded/)
      await completes('assay triage --kind quar', /--kind quarantine/)
      await completes('assay completion fi', /assay completion fish/)
      await completes('assay runs --agent comp', /--agent completed-agent/)
      await completes(`assay watch ${runId.slice(0, 4)}`, new RegExp(`assay watch ${runId}`))
      await completes('assay --vers', /assay --version/)
      expect(terminal.lines().join('\n')).not.toMatch(/command not found|parse error|bad substitution/i)
    },
  )
})
