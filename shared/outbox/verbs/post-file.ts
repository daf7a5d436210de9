// Sends a file to a receiver. Guarantee: a receiver that neither takes more of it nor answers holds a slot no longer
// than LIMITS.results_file_idle_ms, however much of the time for the whole file is left.

import { LIMITS } from '../../kernel/limits.ts'
import type { OutsideFile, OutsideRequest, Post } from '../../kernel/outside.ts'

export type FileRequest = Omit<OutsideRequest, 'body'> & { body: OutsideFile }

/** @throws like Post, and an Error that says so if the receiver hangs */
export async function postFile(
  post: Post,
  { body, signal, ...request }: FileRequest,
): Promise<{ status: number }> {
  const idle = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const pause = () => clearTimeout(timer)
  function wait(): void {
    pause()
    if (isOver) return
    const text = `The receiver neither took more of the file nor answered for ${LIMITS.results_file_idle_ms / 1000} s.`
    timer = setTimeout(() => idle.abort(new Error(text)), LIMITS.results_file_idle_ms)
  }
  async function* read(): AsyncGenerator<Uint8Array> {
    pause() // until there is a slice, it is not the receiver that takes its time
    for await (const slice of body.read()) {
      wait()
      yield slice
      pause()
    }
    wait()
  }
  try {
    wait()
    const both = AbortSignal.any([signal, idle.signal])
    return await post({ ...request, body: { bytes: body.bytes, read }, signal: both })
  } finally {
    isOver = true
    pause()
  }
}
