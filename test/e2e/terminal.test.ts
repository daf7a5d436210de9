// Journeys of a person at a terminal, against a real stack: what the screen shows, and what keys do.

import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Gate, startGate } from '../support/gate.ts'
import { assay, CHECKOUT, type Stack, startStack } from '../support/stack.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { assayInTerminal, KEYS, noTerminal, openTerminal, type Terminal } from '../support/terminal.ts'

const AGENT = `
import { agent, type Context } from 'assay'
@agent({ name: 'Walker', description: 'waits at a gate', retries: 0, network: ['$GATE'] })
export default class Walker {
  async run(ctx: Context, input: { do?: string }) {
    if (input.do === 'fail') throw new Error('asked to fail')
    if (input.do === 'hold') await ctx.hold('asked to wait for a person')
    if (input.do === 'wait') await (await fetch(process.env.GATE!)).text()
    return { done: true }
  }
}
`

/** An older Node, which cannot run the command itself and hands it to the Node of the project. */
const olderNode = (process.env.PATH ?? '')
  .split(':')
  .map(folder => join(folder, 'node'))
  .find(path => /^v2[0-3]\./.test(spawnSync(path, ['--version']).stdout?.toString() ?? ''))

// A journey starts many processes in sequence.
vi.setConfig({ testTimeout: 120_000 })

let stack: Stack
let folder: TempFolder
let gate: Gate
beforeAll(async () => {
  folder = await tempFolder()
  const file = join(folder.path, 'agent.ts')
  await writeFile(file, AGENT)
  gate = await startGate()
  stack = await startStack()
  const deployed = await assay(stack, ['deploy', file, '--env', `GATE=${gate.url}`]).done
  expect(deployed).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await stack?.close()
  await gate?.close()
  await folder?.remove()
})

/** Submits items, each with what it does, and returns the id of the run. */
async function submitted(name: string, items: string[], ...options: string[]): Promise<string> {
  const file = join(folder.path, 'items.jsonl')
  await writeFile(file, items.map(what => `${JSON.stringify({ do: what })}\n`).join(''))
  const { code, events } = await assay(stack, [
    'submit',
    file,
    '--agent',
    'walker',
    '--name',
    name,
    ...options,
  ]).done
  expect([0, 10, 11]).toContain(code)
  return events[0].run_id
}

const opened = async (
  parts: AsyncDisposableStack,
  args: string[],
  options?: Parameters<typeof assayInTerminal>[2],
): Promise<Terminal> => parts.adopt(await assayInTerminal(stack, args, options), terminal => terminal.close())

const at = (terminal: Terminal, text: string) => terminal.lines().find(line => line.includes(text))

describe.skipIf(noTerminal !== undefined)(
  `in a terminal${noTerminal ? `, left out: ${noTerminal}` : ''}`,
  () => {
    it('assay without arguments shows what matters now, each part with the next command', async () => {
      const night = await submitted('bad night', ['fail', 'fail', 'hold', 'ok'], '--watch')
      const moving = await submitted('still walking', ['ok', 'wait'])
      await gate.reached()
      await using parts = new AsyncDisposableStack()
      const terminal = await opened(parts, [])
      expect(await terminal.ended).toBe(0)
      expect(at(terminal, 'in flight')).toMatch(/^runs +1 in flight +assay runs --state open$/)
      expect(at(terminal, moving)).toMatch(/still walking .* running/)
      expect(at(terminal, 'did not work')).toMatch(/^to decide +2 did not work, 1 held, .* +assay triage$/)
      expect(terminal.lines().join('\n')).toMatch(/2 +agent_error: asked to \*/)
      expect(at(terminal, 'by the runs of today')).toMatch(/^money +\$0/)
      expect(terminal.isColored()).toBe(true)

      const bare = await opened(parts, [], { columns: 60, env: { NO_COLOR: '1' } })
      expect(await bare.ended).toBe(0)
      expect(bare.lines().join('\n')).toContain('2 did not work')
      expect(bare.isColored()).toBe(false)
      gate.open()
      await assay(stack, ['watch', moving]).done
      await assay(stack, ['cancel', night]).done
    })

    it('assay without arguments says what to do next if there is no server or no key', async () => {
      const away = { ASSAY_BASE_URL: 'http://127.0.0.1:1', ASSAY_DATA_DIR: folder.path }
      await using parts = new AsyncDisposableStack()
      for (const key of [{}, { ASSAY_API_KEY: 'pk_x' }]) {
        const terminal = parts.adopt(await assayInTerminal({ env: { ...away, ...key } }, []), one =>
          one.close(),
        )
        expect(await terminal.ended).toBe(3)
        expect(terminal.lines().join('\n')).toMatch(
          /^try {3}((PORT=1 )?ASSAY_DATA_DIR=\S+ npm start|assay --help)$/m,
        )
      }
    })

    it('the triage screen follows the size of the terminal', async () => {
      await using parts = new AsyncDisposableStack()
      const terminal = await opened(parts, ['triage'], { columns: 100, rows: 24 })
      await terminal.until(/wait/)
      terminal.resize(50, 12)
      const lines = await terminal.until(
        lines => lines.length === 12 && lines.some(line => /wait/.test(line)),
      )
      expect(lines.every(line => line.length <= 50)).toBe(true)
      terminal.type('q')
      expect(await terminal.ended).toBe(0)
    })

    it.each(['SIGTERM', 'SIGHUP'] as const)(
      'triage restores the screen and the cursor on %s',
      async signal => {
        const pid = join(folder.path, 'pid')
        const shell = `echo before; echo $$ > ${pid}; exec ${join(CHECKOUT, 'shared/cli/main.ts')} triage`
        await using parts = new AsyncDisposableStack()
        const terminal = parts.adopt(await openTerminal(['sh', '-c', shell], { env: stack.env }), one =>
          one.close(),
        )
        await terminal.until(/wait/)
        process.kill(Number(await readFile(pid, 'utf8')), signal)
        await terminal.ended
        expect(terminal.lines().filter(Boolean)).toEqual(['before'])
        expect(terminal.written().lastIndexOf('\x1b[?25h')).toBeGreaterThan(
          terminal.written().lastIndexOf('\x1b[?25l'),
        )
      },
    )

    it('a followed list prints new rows, and ends with Ctrl-C', async () => {
      await submitted('there before', ['ok'], '--watch')
      await using parts = new AsyncDisposableStack()
      const terminal = await opened(parts, ['runs', '--follow', '--limit', '1'], { columns: 120 })
      await terminal.until(/there before/)
      await submitted('comes later', ['ok'])
      const lines = await terminal.until(/comes later/)
      expect(lines.filter(line => /RUN +NAME/.test(line))).toHaveLength(1)
      expect(lines.findIndex(line => line.includes('there before'))).toBeLessThan(
        lines.findIndex(line => line.includes('comes later')),
      )
      terminal.type(KEYS.interrupt)
      expect(await terminal.ended).toBe(130)
    })

    it.skipIf(olderNode === undefined)(
      `Ctrl-C prints its last line before the shell's prompt, on an older Node too${olderNode ? '' : ' (left out: there is none)'}`,
      async () => {
        const id = await submitted('to be left', ['wait'])
        await using parts = new AsyncDisposableStack()
        const options = { columns: 120, env: { ...stack.env, PS1: 'prompt> ' } }
        const terminal = parts.adopt(await openTerminal(['sh', '-i'], options), it => it.close())
        terminal.type(`${olderNode} ${join(CHECKOUT, 'shared/cli/assay.mjs')} watch ${id}\n`)
        await terminal.until(/ran .*0\/1/)
        terminal.type(KEYS.interrupt)
        await terminal.until(lines => lines.findLast(line => line.trim() !== '')?.trim() === 'prompt>')
        terminal.type('exit\n')
        await terminal.ended
        expect(terminal.written()).toMatch(/goes on without being watched[^>]*prompt> exit\s*$/)
        gate.open()
        await assay(stack, ['watch', id]).done
      },
    )
  },
)

describe('without a terminal', () => {
  it('the items of a run are followed to its end, each printed once when it has ended', async () => {
    const id = await submitted('followed', ['wait', 'ok', 'fail', 'ok'])
    const following = assay(stack, ['items', id, '--follow'])
    await following.seen('item')
    gate.open()
    const { code, events } = await following.done
    expect(code).toBe(0)
    expect(events.map(item => item.line).sort()).toEqual([1, 2, 3, 4])
    expect(events.at(-1)).toMatchObject({ line: 1, worst_outcome_status: 'ok' })
    const bad = await assay(stack, ['items', id, '--follow', '--outcome', 'not_ok']).done
    expect(bad.events).toMatchObject([{ line: 3, worst_outcome_status: 'failed' }])
  })

  it('a run can be tagged, is listed by its tags, and shows them', async () => {
    const id = await submitted('tagged', ['ok'], '--tag', 'acme', '--tag', 'night', '--watch')
    const changed = await assay(stack, ['tag', id, '--add', 'checked', '--remove', 'night']).done
    expect(changed.events).toMatchObject([{ event: 'tags', run_id: id, tags: ['acme', 'checked'] }])
    expect((await assay(stack, ['tag', id]).done).events).toMatchObject([{ tags: ['acme', 'checked'] }])
    expect((await assay(stack, ['runs', '--tag', 'checked']).done).events).toMatchObject([{ id }])
    expect((await assay(stack, ['tag', id, '--remove', 'night']).done).code).toBe(2)
  })

  it('a list with --since leaves out earlier runs', async () => {
    const id = await submitted('recent', ['ok'], '--watch')
    const all = await assay(stack, ['runs', '--since', '1h']).done
    expect(all.events[0]).toMatchObject({ id })
    const future = new Date(Date.now() + 60_000).toISOString()
    expect((await assay(stack, ['runs', '--since', future]).done).events).toEqual([])
    const wrong = await assay(stack, ['runs', '--since', 'soon']).done
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--since is \\"soon\\"') })
  })

  it('the doctor says what it cannot check, and exits with 1 if something is wrong', async () => {
    const well = await assay(stack, ['doctor']).done
    expect(well.events.filter(finding => finding.state === 'wrong')).toEqual([])
    expect(well.code).toBe(0)
    const states = Object.fromEntries(well.events.map(finding => [finding.check, finding.state]))
    expect(states).toMatchObject({ server: 'ok', version: 'ok', postgres: 'ok', redis: 'ok', clock: 'ok' })
    expect(states).toMatchObject({
      'body limit': 'ok',
      pages: 'ok',
      streams: 'ok',
      key: 'ok',
      counters: 'ok',
    })
    expect(states.operation).toBe('unknown')
    expect(well.events.find(finding => finding.check === 'key')!.found).toContain('as operator')
    const keyless = await assay({ env: { ...stack.env, ASSAY_API_KEY: '' } }, ['doctor']).done
    expect(keyless.events.find(finding => finding.check === 'key')).toMatchObject({
      state: 'wrong',
      mend: expect.stringContaining('ASSAY_API_KEY'),
    })
    const locked = await assay({ env: { ...stack.env, ASSAY_API_KEY: 'pk_x' } }, ['doctor']).done
    expect(locked.code).toBe(1)
    expect(locked.events.find(finding => finding.check === 'key')).toMatchObject({ state: 'wrong' })
    await stack.kill()
    const ill = await assay(stack, ['doctor']).done
    expect(ill.code).toBe(1)
    expect(ill.events[0]).toMatchObject({
      check: 'server',
      state: 'wrong',
      mend: expect.stringMatching(/ASSAY_BASE_URL.*npm start/),
    })
  })
})
