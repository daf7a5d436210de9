import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { Silence } from './reading.ts'

const bytes = new Uint8Array([0x0a])

async function lengthOf(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0
  for await (const chunk of chunks) length += chunk.length
  return length
}

describe('reading a source', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is given up after 30 s of silence, but not while its reader is busy', async () => {
    const silence = new Silence()
    silence.listen()
    await vi.advanceTimersByTimeAsync(LIMITS.source_silence_ms - 1)
    expect(silence.signal.aborted).toBe(false)
    silence.pause()
    await vi.advanceTimersByTimeAsync(LIMITS.source_silence_ms * 10)
    expect(silence.signal.aborted).toBe(false)
    silence.listen()
    await vi.advanceTimersByTimeAsync(LIMITS.source_silence_ms)
    expect(silence.signal.reason).toMatchObject({ message: 'The source sent nothing for 30 s.' })
  })

  it('may take as long as its reader has, if data keeps coming within 30 s', async () => {
    const silence = new Silence()
    async function* drip() {
      for (let drop = 0; drop < 100; drop++) {
        await vi.advanceTimersByTimeAsync(LIMITS.source_silence_ms - 1)
        yield bytes
      }
    }
    expect(await lengthOf(silence.heard(drip()))).toBe(100)
    expect(silence.signal.aborted).toBe(false)
    silence.end()
  })

  it('is given up when the source exceeds the size limit', async () => {
    const silence = new Silence()
    async function* endless() {
      for (;;) yield { length: LIMITS.source_bytes / 3 } as Uint8Array
    }
    await expect(lengthOf(silence.heard(endless()))).rejects.toThrow(
      `The source is longer than ${LIMITS.source_bytes} bytes.`,
    )
    silence.end()
  })
})
