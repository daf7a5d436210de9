// Checks the terminal that other tests use.

import { expect, it } from 'vitest'
import { KEYS, noTerminal, openTerminal } from './terminal.ts'

const left = noTerminal === undefined ? '' : `, left out: ${noTerminal}`

it.skipIf(noTerminal !== undefined)(
  `a terminal shows what a program draws, passes keys to it, and gives it a new size${left}`,
  async () => {
    const program = `
    const { stdin, stdout } = process
    const draw = () => stdout.write('\\x1b[2J\\x1b[H' + stdout.columns + 'x' + stdout.rows + '\\r\\n\\x1b[31mred')
    stdin.setRawMode(true)
    stdin.on('data', key => {
      if (key.toString() === 'q') process.exit(stdout.write('\\x1b[?1049l') ? 7 : 8)
      stdout.write(' got ' + JSON.stringify(key.toString()))
    })
    stdout.on('resize', draw)
    stdout.write('\\x1b[?1049h')
    draw()`
    await using parts = new AsyncDisposableStack()
    const terminal = parts.adopt(
      await openTerminal([process.execPath, '-e', program], { columns: 70, rows: 20 }),
      opened => opened.close(),
    )
    expect((await terminal.until(/red/)).slice(0, 3)).toEqual(['70x20', 'red', ''])
    expect([terminal.isAlternate(), terminal.isColored()]).toEqual([true, true])
    terminal.type(KEYS.up)
    await terminal.until(/got "\\u001b\[A"/)
    terminal.resize(100, 30)
    await terminal.until(/^100x30$/m)
    expect(terminal.lines()).toHaveLength(30)
    terminal.type('q')
    expect(await terminal.ended).toBe(7)
    expect(terminal.isAlternate()).toBe(false)
  },
)

it.skipIf(noTerminal !== undefined)(
  `a terminal reports what was on the screen when a wait fails${left}`,
  async () => {
    const terminal = await openTerminal(['echo', 'something else'])
    await expect(terminal.until(/never/)).rejects.toThrow(/ended with 0 .*something else/s)
    await terminal.close()
  },
)
