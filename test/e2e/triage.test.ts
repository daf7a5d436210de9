// `assay triage` on a terminal: items that await a decision, grouped by what they share, and decisions by keys.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assay, type Stack, startStack } from '../support/stack.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { assayInTerminal, KEYS, noTerminal } from '../support/terminal.ts'

const AGENT = `
import { agent, ItemError } from 'assay'
@agent({ name: 'Picky', timeoutSeconds: 20 })
export default class Picky {
  async run(ctx, { kind }) {
    if (kind === 'fails') throw new ItemError('the warehouse is closed', { code: 'closed' })
    if (kind === 'weak') ctx.degrade('not sure about it')
    if (kind === 'held') await ctx.hold('a person decides')
    return { kind }
  }
}`
const KINDS = ['fails', 'fails', 'fails', 'weak', 'held', 'fine']

const parts = new AsyncDisposableStack()
let stack: Stack
const run = (...args: string[]) => assay(stack, args).done
const waiting = async () => (await run('triage')).events

beforeAll(async () => {
  const folder = parts.adopt(await tempFolder(), temporary => temporary.remove()).path
  stack = parts.adopt(await startStack(), running => running.close())
  await writeFile(join(folder, 'agent.ts'), AGENT)
  const rows = KINDS.map(
    (kind, at) => `${JSON.stringify({ prompt: `Ship it, ${kind}`, kind, id: `${kind}-${at}` })}\n`,
  )
  await writeFile(join(folder, 'rows.jsonl'), rows.join(''))
  await run('deploy', join(folder, 'agent.ts'))
  const file = join(folder, 'rows.jsonl')
  const ran = await run('submit', file, '--agent', 'picky', '--item-id', 'id', '--watch')
  expect(ran.events.at(-1)).toMatchObject({
    event: 'ended',
    run: { failed: 3, degraded_count: 1, paused: 1 },
  })
})
afterAll(() => parts.disposeAsync())

describe.skipIf(noTerminal !== undefined)('triage on a terminal', () => {
  it('groups the items, says what a key will do, does it once confirmed, and undoes a dismissal', async () => {
    const terminal = await assayInTerminal(stack, ['triage'], { columns: 80, rows: 24 })
    // A screen may arrive in several pieces.
    await terminal.until(/5 items wait for a decision/)
    await terminal.until(/1 × not sure about it/)
    const first = await terminal.until(/1 × held: a person decides/)
    expect(first[2]).toMatch(/▾ 3 × closed: the warehouse is closed/)
    expect(first.every(line => line.length <= 80)).toBe(true)
    expect(terminal.isAlternate()).toBe(true)

    terminal.type(`${KEYS.down}`)
    await terminal.until(/^▸ {5}fails-/m)
    terminal.type('d')
    await terminal.until(
      /dismiss 1 item: nothing more is done; u takes it back within 60 minutes {2}\[y\/n\]/,
    )
    terminal.type('n')
    await terminal.until(/nothing was done/)
    terminal.type('d')
    await terminal.until(/\[y\/n\]/)
    terminal.type('y')
    await terminal.until(/4 items wait for a decision.*dismissed: 1 item/s)
    expect(await waiting()).toHaveLength(4)
    terminal.type('u')
    await terminal.until(/5 items wait for a decision.*taken back: 1 item/s)

    terminal.type(KEYS.enter)
    await terminal.until(/why +closed: the warehouse is closed/)
    terminal.type('q')
    await terminal.until(/5 items wait/)
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
    expect(terminal.isAlternate()).toBe(false)
    await terminal.close()
  })

  it('marks a verdict as wrong by one key, and undoes that [triage.wrong]', async () => {
    const terminal = await assayInTerminal(stack, ['triage', '--reason', 'agent_degraded'], {
      columns: 100,
      rows: 24,
    })
    await terminal.until(/1 item waits for a decision/)
    terminal.type('w')
    await terminal.until(
      /call what is said of 1 item wrong; what was recorded stays; u takes it back.*\[y\/n\]/,
    )
    terminal.type('y')
    await terminal.until(/called wrong: 1 item/)
    expect(await waiting()).toHaveLength(4)
    expect((await run('verdicts')).events).toMatchObject([{ reason: 'agent_degraded', judged: 1, wrong: 1 }])
    terminal.type('u')
    await terminal.until(/1 item waits for a decision.*taken back: 1 item/s)
    expect((await run('verdicts')).events).toEqual([])
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
    await terminal.close()
  })

  it('replays a cluster, and resumes a held item', async () => {
    const terminal = await assayInTerminal(stack, ['triage'], { columns: 120, rows: 30 })
    await terminal.until(/^▸ {2}▾ 3 × closed/m)
    terminal.type('r')
    await terminal.until(/replay 3 items as one recovery.*\[y\/n\]/)
    terminal.type('y')
    await terminal.until(/recovery \S+ is replaying/)
    await terminal.until(/1 × held/)
    // Groups of one stand in the order in which their items came.
    const lines = await terminal.until(/^ +held-4/m)
    const from = lines.findIndex(line => line.startsWith('▸'))
    for (let at = lines.findIndex(line => /^ +held-4/.test(line)); at > from; at--) terminal.type('j')
    await terminal.until(/^▸ {5}held-4/m)
    terminal.type('r')
    await terminal.until(/let 1 held item go on.*\[y\/n\]/)
    terminal.type('y')
    await terminal.until(/started: 1 item/)
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
    await terminal.close()
    const [recovery] = (await run('recover')).events
    expect(recovery).toMatchObject({ eligible: 3 })
    expect((await waiting()).some(row => row.item_id === 'held-4')).toBe(false)
  })
})

describe('a cluster', () => {
  it('can be replayed as a dry run, which says how many items can be and why others cannot', async () => {
    const [{ cluster_key }] = (await run('clusters')).events
    const plan = await run('replay', '--cluster', cluster_key, '--dry-run')
    expect(plan.events[0]).toMatchObject({
      event: 'plan',
      ineligible: expect.arrayContaining([{ reason: 'replayed', count: 3 }]),
    })
    const { err } = await run('replay')
    expect(err).toContain('ITEM is missing')
  })
})
