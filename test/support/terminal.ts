// A command under a real pseudo-terminal, and the screen that a person would see. Guarantee: a test waits for what the
// screen shows, never for time; if the screen never shows it, the error has the screen.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import xterm from '@xterm/headless'
import { CHECKOUT } from './stack.ts'
import { tempFolder } from './temp-folder.ts'

/** Why there is no terminal here, for a test that is skipped; undefined if there is one. */
export const noTerminal =
  spawnSync('script', ['--version']).status === 0
    ? undefined
    : 'needs `script` of util-linux (Debian: bsdutils)'

const PATIENCE_MS = 90_000

export const KEYS = {
  up: '\x1b[A',
  down: '\x1b[B',
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  interrupt: '\x03',
} as const

export interface Terminal {
  /** The rows of the screen, without trailing spaces. */
  lines(): string[]
  /** Everything that was written, with control sequences. */
  written(): string
  /** Whether the alternate screen is shown, which full-screen programs use and leave. */
  isAlternate(): boolean
  /** Whether anything on the screen has a colour of its own. */
  isColored(): boolean
  type(keys: string): void
  resize(columns: number, rows: number): void
  /** The screen once it shows this. @throws if the command ended, or PATIENCE_MS passed, without it */
  until(shows: RegExp | ((lines: string[]) => boolean)): Promise<string[]>
  /** The exit code of the command. */
  ended: Promise<number>
  close(): Promise<void>
}

export interface TerminalOptions {
  columns?: number
  rows?: number
  env?: Record<string, string>
  folder?: string
}

/** The `assay` command as installed, in a terminal of 80 by 24 by default. */
export const assayInTerminal = (
  stack: { env: Record<string, string> },
  args: string[],
  { env, ...options }: TerminalOptions = {},
): Promise<Terminal> =>
  openTerminal([join(CHECKOUT, 'shared/cli/main.ts'), ...args], { ...options, env: { ...stack.env, ...env } })

export async function openTerminal(
  command: string[],
  { columns = 80, rows = 24, env = {}, folder = CHECKOUT }: TerminalOptions = {},
): Promise<Terminal> {
  const files = await tempFolder()
  const ttyFile = join(files.path, 'tty')
  // The size is set before the command starts; the device is written to a file, so that it can be resized.
  const shell = `tty > ${quoted(ttyFile)}; stty cols ${columns} rows ${rows}; exec ${command.map(quoted).join(' ')}`
  const { NO_COLOR: _, npm_command: __, ...inherited } = process.env
  const child = spawn('script', ['-qfec', shell, '/dev/null'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...inherited,
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      PATH: `${join(CHECKOUT, 'node_modules/.bin')}:${process.env.PATH}`,
      ...env,
    },
  })
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const looks = new Set<() => void>()
  let written = ''
  child.stdout.on('data', (chunk: Buffer) => {
    written += chunk
    screen.write(chunk, () => {
      for (const look of looks) look()
    })
  })
  // The terminal's answers to a program that queries it.
  screen.onData(answer => child.stdin.write(answer))
  child.stdin.on('error', () => {}) // the command is gone
  const ended = once(child, 'close').then(async ([code]) => {
    await new Promise<void>(shown => screen.write('', shown))
    return code as number
  })
  const lines = () => rowsOf(screen)
  return {
    lines,
    written: () => written,
    isAlternate: () => screen.buffer.active.type === 'alternate',
    isColored: () => hasColor(screen),
    type: keys => child.stdin.write(keys),
    resize(columns, rows) {
      screen.resize(columns, rows)
      const tty = readFileSync(ttyFile, 'utf8').trim()
      execFileSync('stty', ['-F', tty, 'cols', String(columns), 'rows', String(rows)])
    },
    until: shows => shown(shows, { lines, looks, ended }),
    ended,
    async close() {
      child.kill('SIGKILL') // the terminal hangs up, which ends the command
      await ended
      screen.dispose()
      await files.remove()
    },
  }
}

interface Watched {
  lines: () => string[]
  looks: Set<() => void>
  ended: Promise<number>
}

function shown(
  wanted: RegExp | ((lines: string[]) => boolean),
  { lines, looks, ended }: Watched,
): Promise<string[]> {
  const holds = wanted instanceof RegExp ? (now: string[]) => wanted.test(now.join('\n')) : wanted
  return new Promise((resolve, reject) => {
    const look = () => holds(lines()) && settle(() => resolve(lines()))
    const fail = (why: string) => settle(() => reject(new Error(`${why}: ${wanted}\n${lines().join('\n')}`)))
    const timer = setTimeout(() => fail(`${PATIENCE_MS} ms passed, and the screen never showed`), PATIENCE_MS)
    const settle = (then: () => void) => {
      clearTimeout(timer)
      looks.delete(look)
      then()
    }
    looks.add(look)
    look()
    void ended.then(code => {
      look()
      if (looks.has(look)) fail(`it ended with ${code} and had not shown`)
    })
  })
}

function rowsOf(screen: xterm.Terminal): string[] {
  const { active } = screen.buffer
  return Array.from(
    { length: screen.rows },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true, 0, screen.cols) ?? '',
  )
}

function hasColor(screen: xterm.Terminal): boolean {
  const { active } = screen.buffer
  for (let row = 0; row < screen.rows; row++) {
    const line = active.getLine(active.baseY + row)
    for (let column = 0; column < screen.cols; column++)
      if (line?.getCell(column)?.isFgDefault() === false) return true
  }
  return false
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
