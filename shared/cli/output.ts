// Writes a command's output. Guarantee: a terminal gets text that fits its width, everything else one JSON object per
// line with an `event`; notes and failures go to standard error, never to standard output.

import { styleText } from 'node:util'
import type { Failure } from './failure.ts'
import { clean } from './format.ts'

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'
export type Paint = (style: Style, text: string) => string

export interface Screen {
  columns: number
  paint: Paint
  /** The command as the user types it, for commands to try next. */
  program: string
}

export interface Output {
  /** Whether all output is JSON lines. */
  readonly isJson: boolean
  screen(): Screen
  /** Prints something that stays. */
  emit(event: string, value: object, text: (screen: Screen) => string): void
  /** Prints a list: one JSON line per row, or one table. */
  rows(event: string, rows: readonly object[], text: (screen: Screen) => string): void
  /** Prints something that the next output replaces, on a terminal; as an event, only if it has changed. */
  redraw(event: string, value: object, text: (screen: Screen) => string): void
  /** Prints a remark for a person, on standard error. */
  note(message: string): void
  fail(failure: Failure): void
  /** Prints text for another program, unchanged. */
  text(text: string): void
  /**
   * Prints long output with back pressure: the next piece is taken when the reader took the previous one. A file or a pipe
   * gets the bytes as they are; a terminal gets them without what it would obey.
   */
  pass(pieces: AsyncIterable<Uint8Array>): Promise<void>
}

export interface Writer {
  write(text: string | Uint8Array): unknown
  once?(event: 'drain', then: () => void): unknown
  columns?: number | undefined
  isTTY?: boolean | undefined
}

export interface OutputOptions {
  out: Writer
  err: Writer
  /** JSON lines instead of text. */
  json: boolean
  color: boolean
  program: string
}

/** Line breaks and tabs stay: they are the form of the output. */
async function* shownOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const shown = (text: string) => text.replace(/[^\n\t]+/g, clean)
  for await (const piece of pieces) yield shown(decoder.decode(piece, { stream: true }))
  yield shown(decoder.decode())
}

const CLEAR = '\r\x1b[K'
const DEFAULT_COLUMNS = 80

/** The message, with commands in it as the user types them. */
const asTyped = (message: string, program: string): string =>
  clean(message).replaceAll(/\bassay (?=[a-z]+ )/g, `${program} `)

export function createOutput({ out, err, json, color, program }: OutputOptions): Output {
  const paint: Paint = (style, text) =>
    color && text !== '' ? styleText(style, text, { validateStream: false }) : text
  const live = !json && out.isTTY === true
  const screen = (): Screen => ({ columns: out.columns || DEFAULT_COLUMNS, paint, program })
  const line = (event: string, value: object) => `${JSON.stringify({ event, ...value })}\n`
  let drawn = false
  let lastLine = ''

  const erased = () => {
    const erase = drawn ? CLEAR : ''
    drawn = false
    return erase
  }
  const aside = (text: string) => {
    if (drawn) out.write(erased())
    err.write(text)
  }
  return {
    isJson: json,
    screen,
    emit(event, value, text) {
      if (json) out.write(line(event, value))
      else out.write(`${erased()}${text(screen())}\n`)
    },
    rows(event, rows, text) {
      if (json) for (const row of rows) out.write(line(event, row))
      else out.write(`${erased()}${text(screen())}\n`)
    },
    redraw(event, value, text) {
      if (json) {
        const next = line(event, value)
        if (next !== lastLine) out.write(next)
        lastLine = next
      }
      if (!live) return
      out.write(`${CLEAR}${text(screen())}`)
      drawn = true
    },
    text: text => void out.write(text),
    async pass(pieces) {
      for await (const piece of out.isTTY ? shownOf(pieces) : pieces)
        if (out.write(piece) === false) await new Promise<void>(resolve => out.once?.('drain', resolve))
    },
    note(message) {
      aside(json ? line('note', { message }) : `${paint('dim', asTyped(message, program))}\n`)
    },
    fail({ code, message, hint, next }) {
      aside(
        json
          ? line('error', { code, message, hint, next })
          : `${failureText(screen(), { code, message, hint, next })}\n`,
      )
    },
  }
}

type FailureParts = Pick<Failure, 'code' | 'message' | 'hint' | 'next'>

function failureText({ paint, program }: Screen, { code, message, hint, next }: FailureParts): string {
  const lines = message.split('\n').map(clean)
  const [first, ...rest] = lines
  const text = [`${paint('red', code)}: ${first}`, ...rest]
  if (hint !== undefined) text.push(`${paint('dim', 'hint')}  ${clean(hint)}`)
  if (next !== undefined) text.push(`${paint('dim', 'try ')}  ${clean(next).replace(/^assay\b/, program)}`)
  return text.join('\n')
}

/** Whether colours may be used, by the rules of no-color.org. */
export function mayColor(out: Writer, env: Record<string, string | undefined>): boolean {
  return out.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}
