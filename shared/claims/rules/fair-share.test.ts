import { describe, expect, it } from 'vitest'
import { fairShares, type HeldHere, shareOut, type WaitingRun } from './fair-share.ts'

const run = (id: string, facts: Partial<WaitingRun> = {}): WaitingRun => ({
  id,
  project_id: 'p',
  account_id: 'a',
  waiting: 3000,
  running: 0,
  project_running: 0,
  room: null,
  project_room: 256,
  ...facts,
})
const NOTHING = { ofRun: () => 0, ofAccount: () => 0 }
const shares = (free: number, runs: WaitingRun[], here: HeldHere = NOTHING) =>
  Object.fromEntries(shareOut(free, runs, here))

describe('places', () => {
  it('go one by one to whoever holds the fewest', () => {
    expect(
      fairShares(4, [
        { held: 0, wants: 9 },
        { held: 3, wants: 9 },
      ]),
    ).toEqual([4, 0])
    expect(
      fairShares(5, [
        { held: 0, wants: 9 },
        { held: 3, wants: 9 },
      ]),
    ).toEqual([4, 1])
  })

  it('are never more than each asker wants, and all of them are given out while anyone wants more', () => {
    const askers = [1, 0, 7, 300, 2].map((wants, i) => ({ held: i * 3, wants }))
    for (let places = 0; places < 320; places++) {
      const given = fairShares(places, askers)
      expect(given.reduce((a, b) => a + b)).toBe(Math.min(places, 310))
      for (const [i, { wants }] of askers.entries()) expect(given[i]).toBeLessThanOrEqual(wants)
    }
  })
})

describe('a consumer shares out its places so that', () => {
  it('a single item gets a place before a long run takes the rest of the cap', () => {
    const long = run('long', { running: 200, project_running: 200, project_room: 56 })
    const single = run('single', { waiting: 1, project_running: 200, project_room: 56 })
    expect(shares(8000, [long, single])).toEqual({ long: 55, single: 1 })
  })

  it('two long runs come out even, whichever began first', () => {
    const old = run('old', { running: 236, project_running: 236, project_room: 20 })
    expect(shares(8000, [old, run('new', { project_running: 236, project_room: 20 })])).toEqual({ new: 20 })
    expect(shares(8000, [run('one'), run('other')])).toEqual({ one: 128, other: 128 })
  })

  it('the caps of run and project are not exceeded', () => {
    expect(shares(8000, [run('capped', { room: 10 }), run('free')])).toEqual({ capped: 10, free: 246 })
    expect(shares(8000, [run('full', { project_room: 0 })])).toEqual({})
  })

  it('a project over its cap gets none, and the other projects get no more for it', () => {
    const over = run('over', { project_id: 'over', project_running: 2000, project_room: -700 })
    const others = ['one', 'other'].map(id => run(id, { project_id: id, project_room: 5000 }))
    const given = shares(1000, [over, ...others])
    expect(given).toEqual({ one: 469, other: 469 })
  })

  it('each account gets as many, however many projects and runs it has', () => {
    const many = Array.from({ length: 20 }, (_, i) =>
      run(`m${i}`, { project_id: `p${i % 4}`, account_id: 'many' }),
    )
    const given = shares(200, [...many, run('few', { project_id: 'q', account_id: 'few' })])
    expect(given.few).toBe(100)
    const ofMany = Object.entries(given).filter(([id]) => id !== 'few')
    expect(ofMany.map(([, places]) => places)).toEqual(Array(20).fill(5))
  })

  it('one run does not take all of them, and a later run finds places at once', () => {
    const lifted = { waiting: 100_000, project_room: 100_000 }
    let held = 0
    for (;;) {
      const { slow = 0 } = shares(8000 - held, [run('slow', lifted)], {
        ofRun: () => held,
        ofAccount: () => held,
      })
      if (slow === 0) break
      held += slow
    }
    expect(held).toBe(7000)
    expect(shares(1000, [run('late', lifted)])).toEqual({ late: 875 })
    expect(shares(1, [run('late', lifted)])).toEqual({ late: 1 })
  })

  it('one account does not take all of them, however many runs it has', () => {
    const lifted = { waiting: 100_000, project_room: 100_000 }
    const held = new Map<string, number>()
    const all = () => [...held.values()].reduce((a, b) => a + b, 0)
    const here = { ofRun: (id: string) => held.get(id) ?? 0, ofAccount: () => all() }
    for (let n = 0; ; n++) {
      // Each poll finds one more run, and every earlier run waits for another place.
      const runs = Array.from({ length: n + 1 }, (_, i) => run(`slow ${i}`, lifted))
      const given = Object.entries(shares(8000 - all(), runs, here))
      if (given.length === 0) break
      for (const [id, places] of given) held.set(id, here.ofRun(id) + places)
    }
    expect(all()).toBe(7500)
    const late = run('late', { ...lifted, account_id: 'b', project_id: 'q' })
    expect(shares(500, [late], { ofRun: () => 0, ofAccount: id => (id === 'a' ? 7500 : 0) })).toEqual({
      late: 438,
    })
  })

  it('a later run gets a place while a long run of the same account holds as many as a run may', () => {
    const lifted = { waiting: 100_000, project_room: 100_000 }
    const late = run('late', { ...lifted, waiting: 1 })
    const here = { ofRun: (id: string) => (id === 'slow' ? 7000 : 0), ofAccount: () => 7000 }
    expect(shares(1000, [run('slow', lifted), late], here)).toEqual({ late: 1 })
  })
})
