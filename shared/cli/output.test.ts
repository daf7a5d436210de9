import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { EXIT, Failure } from './failure.ts'
import { createOutput, mayColor } from './output.ts'

function opened(options: { tty?: boolean; json?: boolean; color?: boolean; columns?: number } = {}) {
  const written = { out: '', err: '' }
  const output = createOutput({
    out: {
      write: text => {
        written.out += text
      },
      isTTY: options.tty ?? false,
      columns: options.columns,
    },
    err: {
      write: text => {
        written.err += text
      },
    },
    json: options.json ?? false,
    color: options.color ?? false,
    program: 'npx --no assay',
  })
  return { output, written }
}

const failure = new Failure(EXIT.api, 'not_found', 'There is no such run.', {
  hint: 'look',
  next: 'assay runs',
})

describe('output as lines of JSON', () => {
  it('has one object per line with its event, and no text', () => {
    const { output, written } = opened({ json: true })
    output.emit('deployed', { version: 1 }, () => 'text')
    output.rows('run', [{ id: 1 }, { id: 2 }], () => 'text')
    expect(written.out).toBe(
      '{"event":"deployed","version":1}\n{"event":"run","id":1}\n{"event":"run","id":2}\n',
    )
  })

  it('prints a state that is redrawn only when it has changed', () => {
    const { output, written } = opened({ json: true })
    for (const done of [0, 0, 1, 1, 1]) output.redraw('progress', { done }, () => 'text')
    expect(written.out).toBe('{"event":"progress","done":0}\n{"event":"progress","done":1}\n')
  })

  it('writes notes and errors to standard error', () => {
    const { output, written } = opened({ json: true })
    output.note('waiting')
    output.fail(failure)
    expect(written.out).toBe('')
    expect(
      written.err
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([
      { event: 'note', message: 'waiting' },
      {
        event: 'error',
        code: 'not_found',
        message: 'There is no such run.',
        hint: 'look',
        next: 'assay runs',
      },
    ])
  })
})

describe('output as text', () => {
  it('redraws the progress line in place, and clears it before permanent output', () => {
    const { output, written } = opened({ tty: true })
    output.redraw('progress', {}, () => '1 of 2')
    output.redraw('progress', {}, () => '2 of 2')
    output.emit('ended', {}, () => 'done')
    expect(written.out).toBe('\r\x1b[K1 of 2\r\x1b[K2 of 2\r\x1b[Kdone\n')
  })

  it('clears the progress line before a note, too', () => {
    const { output, written } = opened({ tty: true })
    output.redraw('progress', {}, () => '1 of 2')
    output.note('the server is away')
    expect(written).toEqual({ out: '\r\x1b[K1 of 2\r\x1b[K', err: 'the server is away\n' })
  })

  it('does not redraw if it does not go to a terminal', () => {
    const { output, written } = opened()
    output.redraw('progress', {}, () => '1 of 2')
    output.emit('ended', {}, ({ columns }) => `done in ${columns} columns`)
    expect(written.out).toBe('done in 80 columns\n')
  })

  it('shows an error with its code, message, hint and the next command as the user types it', () => {
    const { output, written } = opened({ tty: true, color: true })
    output.fail(failure)
    expect(written.err).toContain('\x1b[31m')
    expect(stripVTControlCharacters(written.err)).toBe(
      'not_found: There is no such run.\nhint  look\ntry   npx --no assay runs\n',
    )
  })

  it('replaces control characters in a message with blanks', () => {
    const { output, written } = opened({ tty: true })
    output.fail(new Failure(EXIT.api, 'x', 'evil\x1b]0;title\x07 text\nsecond line'))
    expect(written.err).toBe('x: evil ]0;title  text\nsecond line\n')
  })
})

describe('colours', () => {
  it('are used on terminals unless the user has turned them off', () => {
    const terminal = { write: () => {}, isTTY: true }
    expect(mayColor(terminal, {})).toBe(true)
    expect(mayColor(terminal, { NO_COLOR: '1' })).toBe(false)
    expect(mayColor(terminal, { NO_COLOR: '' })).toBe(true)
    expect(mayColor(terminal, { TERM: 'dumb' })).toBe(false)
    expect(mayColor({ write: () => {} }, {})).toBe(false)
  })
})
