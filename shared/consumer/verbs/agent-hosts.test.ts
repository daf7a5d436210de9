import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NotSent } from '../../agents/rules/invoke-agent.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { AgentHosts, type Visit } from './agent-hosts.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const hosts = () => new AgentHosts(() => Date.now())
const never = new AbortController().signal
const enter = (to: AgentHosts, items: number, together: number | null, signal = never) =>
  to.enter('agent', { items, together }, signal)

/** Two requests that are cut together: from then on there is one batch at a time. */
async function cutBoth(to: AgentHosts): Promise<number[]> {
  const both = [await enter(to, 30, 30), await enter(to, 30, 30)]
  const cuts = Promise.all(both.map(visit => visit.cutWith(30)))
  await vi.advanceTimersByTimeAsync(LIMITS.ends_together_ms)
  vi.useRealTimers()
  const among = await cuts
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.now() })
  for (const visit of both) visit.leave()
  return among
}

const entered = (visit: Promise<Visit>) =>
  Promise.race([visit.then(() => true), vi.advanceTimersByTimeAsync(1000).then(() => false)])

describe('an agent', () => {
  it('gets all requests at once until an end takes others with it', async () => {
    const to = hosts()
    for (let n = 0; n < 5; n++) await enter(to, 256, null)
  })

  it('whose request is cut while no other is open was cut by that request alone', async () => {
    const to = hosts()
    const visit = await enter(to, 30, null)
    expect(await visit.cutWith(30)).toBe(30)
    visit.leave()
    await enter(to, 15, 15)
    await enter(to, 15, 15)
  })

  it('that was cut with all its requests gets one batch at a time, as large as may be together', async () => {
    const to = hosts()
    expect(await cutBoth(to)).toEqual([60, 60])
    const [first, second] = [enter(to, 15, 15), enter(to, 15, 15)]
    expect(await entered(first)).toBe(true)
    expect(await entered(second)).toBe(false)
    ;(await first).leave()
    expect(await entered(second)).toBe(true)
  })

  it('gets requests of one item side by side, as many as may be together', async () => {
    const to = hosts()
    await cutBoth(to)
    const three = [enter(to, 1, 2), enter(to, 1, 2), enter(to, 1, 2)]
    expect(await Promise.all(three.map(entered))).toEqual([true, true, false])
  })

  it('gets no other request while a batch runs, however long that takes', async () => {
    const to = hosts()
    await cutBoth(to)
    const long = await (async () => {
      const visit = enter(to, 1, 1)
      await entered(visit)
      return visit
    })()
    await vi.advanceTimersByTimeAsync(10 * LIMITS.one_batch_ms)
    const next = enter(to, 256, null)
    expect(await entered(next)).toBe(false)
    long.leave()
    expect(await entered(next)).toBe(true)
  })

  it('lets a request go that waits too long, or whose consumer has no time for it any more', async () => {
    const to = hosts()
    await cutBoth(to)
    await entered(enter(to, 1, 1))
    const late = enter(to, 1, 1)
    const gone = new AbortController()
    const givenUp = enter(to, 1, 1, gone.signal)
    gone.abort()
    await expect(givenUp).rejects.toThrow(NotSent)
    const failed = expect(late).rejects.toThrow(NotSent)
    await vi.advanceTimersByTimeAsync(LIMITS.batch_wait_ms)
    await failed
  })

  it('gets all requests at once again when it did without such an end for a while', async () => {
    const to = hosts()
    await cutBoth(to)
    await vi.advanceTimersByTimeAsync(LIMITS.one_batch_ms)
    for (let n = 0; n < 5; n++) expect(await entered(enter(to, 256, null))).toBe(true)
  })
})
