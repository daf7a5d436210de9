import { describe, expect, it } from 'vitest'
import { type Condemned, parseUsage, Watch } from './watch.ts'

function watched() {
  const condemned: Condemned[] = []
  const pongs: (() => void)[] = []
  const ping = () => new Promise<void>(resolve => pongs.push(resolve))
  const watch = new Watch({ cpu_without_pong_ms: 1000, memory_bytes: 2 ** 30 }, ping, why =>
    condemned.push(why),
  )
  const look = async (cpu_ms: number, rss_bytes = 0) => {
    watch.look({ cpu_ms, rss_bytes })
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  }
  return { condemned, pongs, look, watch }
}

describe('the watch over an agent’s process', () => {
  it('condemns it once when it has used too much CPU since an unanswered ping', async () => {
    const { condemned, look } = watched()
    await look(50_000)
    await look(51_000)
    expect(condemned).toEqual([])
    await look(51_010)
    await look(52_000)
    expect(condemned).toEqual([
      { code: 'agent_unresponsive', why: expect.stringContaining('1010 ms of CPU') },
    ])
  })

  it('allows any amount of CPU while it answers pings', async () => {
    const { condemned, pongs, look } = watched()
    for (let cpu_ms = 0; cpu_ms < 20_000; cpu_ms += 900) {
      await look(cpu_ms)
      pongs.pop()?.()
      await new Promise(setImmediate)
    }
    expect(condemned).toEqual([])
  })

  it('counts a pong that arrived while the watcher itself was delayed', async () => {
    const { condemned, pongs, look, watch } = watched()
    await look(0)
    watch.look({ cpu_ms: 5000, rss_bytes: 0 })
    pongs.pop()!()
    await new Promise(setImmediate)
    expect(condemned).toEqual([])
  })

  it('condemns it for too much memory, even if it answers', async () => {
    const { condemned, look } = watched()
    await look(0, 2 ** 30 + 1)
    expect(condemned).toEqual([
      { code: 'agent_crashed', why: expect.stringContaining('1024 MiB are allowed') },
    ])
  })
})

it('CPU time and memory are read correctly even when the program’s name contains brackets and blanks', () => {
  const stat = `12 (a ) (b) S ${Array.from({ length: 10 }, (_, n) => n).join(' ')} 150 25 0 0`
  expect(parseUsage(stat, 'Name:\tx\nVmRSS:\t  2048 kB\n')).toEqual({ cpu_ms: 1750, rss_bytes: 2 * 2 ** 20 })
})
