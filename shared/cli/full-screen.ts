// Takes over the whole terminal for one program. Guarantee: however the process ends, normally, by a signal or by an
// error, the screen, the cursor and the keyboard are restored.

import { stripVTControlCharacters } from 'node:util'
import { shorten, widthOf } from './format.ts'

export interface FullScreen {
  readonly columns: number
  readonly rows: number
  /** Replaces the whole screen; lines and text that do not fit are left out. */
  draw(lines: readonly string[]): void
  onKey(listener: (key: Key) => void): void
  onResize(listener: () => void): void
  leave(): void
}

export type Key = 'up' | 'down' | 'enter' | 'back' | 'interrupt' | string

const KEYS: Record<string, Key> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  k: 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  j: 'down',
  '\r': 'enter',
  '\n': 'enter',
  '\x1b': 'back',
  '\x1b[D': 'back',
  '\x7f': 'back',
  '\x03': 'interrupt',
  '\x04': 'interrupt',
}
/** One key: a character, or the escape sequence that a key sends. */
const KEY = /\x1b[[O][0-9;]*[A-Za-z~]|\p{Any}/gu

// The alternate screen, no cursor, lines cut at the edge.
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l'
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l'
const SIGNALS = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const

export const isFullTerminal = () =>
  process.stdout.isTTY === true && process.stdin.isTTY === true && process.env.TERM !== 'dumb'

export function openFullScreen(): FullScreen {
  const { stdin, stdout } = process
  let isOpen = true
  const leave = () => {
    if (!isOpen) return
    isOpen = false
    stdout.write(LEAVE) // writes to a terminal are synchronous, also while the process exits
    stdin.setRawMode(false)
    stdin.pause()
    process.off('exit', leave)
    process.off('uncaughtExceptionMonitor', leave)
    for (const [signal, listener] of ends) process.off(signal, listener)
  }
  const ends = Object.entries(SIGNALS).map(([signal, code]) => [signal, () => process.exit(code)] as const)
  process.on('exit', leave)
  // Leave first, so that the error is printed on the normal screen, which stays.
  process.on('uncaughtExceptionMonitor', leave)
  for (const [signal, listener] of ends) process.on(signal, listener)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stdout.write(ENTER)
  return {
    get columns() {
      return stdout.columns || 80
    },
    get rows() {
      return stdout.rows || 24
    },
    draw(lines) {
      if (!isOpen) return
      const shown = lines.slice(0, stdout.rows || 24).map(line => cut(line, stdout.columns || 80))
      stdout.write(`\x1b[H${shown.map(line => `\x1b[2K${line}`).join('\r\n')}\x1b[J`)
    },
    onKey(listener) {
      stdin.on('data', (text: string) => {
        for (const [key] of text.matchAll(KEY)) listener(KEYS[key] ?? key)
      })
      stdin.on('end', () => listener('interrupt'))
    },
    onResize(listener) {
      stdout.on('resize', listener)
    },
    leave,
  }
}

/** Cuts a line that is too long, and removes its colours. */
const cut = (line: string, columns: number) =>
  widthOf(line) <= columns ? line : shorten(stripVTControlCharacters(line), columns)
