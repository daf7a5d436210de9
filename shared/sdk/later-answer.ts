// Lines that an agent sends after its request has ended. Guarantee: they leave in the order they were written, one POST
// at a time, each until it is taken or nobody awaits it any more; while there are none, a heartbeat keeps the lease.

import { LIMITS } from '../kernel/limits.ts'
import { NDJSON } from '../protocol/rules/protocol.ts'

/** Items by their seq that are still awaited. */
export type Awaited = ReadonlySet<number>

const NOBODY: Awaited = new Set()
const HEARTBEAT = '{"type":"heartbeat"}\n'

export class LaterAnswer {
  /** Resolves when everything was sent, or nobody awaits anything. */
  readonly done: Promise<void>
  readonly #address: string
  readonly #until: number
  readonly #onTaken: (awaited: Awaited) => void
  #pieces: string[] = []
  #ended = false
  #notify: () => void = () => {}

  /** `until` is the time at which the last item is over; `onTaken` is told after each POST what goes on. */
  constructor(address: string, until: number, onTaken: (awaited: Awaited) => void) {
    this.#address = address
    this.#until = until + 2 * LIMITS.lease_ms // what was written last may have to be sent again
    this.#onTaken = onTaken
    this.done = this.#run()
  }

  write(line: string): void {
    this.#pieces.push(`${line}\n`)
    this.#notify()
  }

  /** Nothing more will be written. */
  end(): void {
    this.#ended = true
    this.#notify()
  }

  async #run(): Promise<void> {
    for (;;) {
      if (this.#pieces.length === 0 && !this.#ended) await this.#pause(LIMITS.agent_heartbeat_ms)
      if (this.#pieces.length === 0 && this.#ended) return
      const awaited = await this.#send(this.#take() || HEARTBEAT)
      this.#onTaken(awaited)
      if (awaited.size === 0) return
    }
  }

  /** As many pieces as one POST should carry; a piece is never cut. */
  #take(): string {
    let text = ''
    while (this.#pieces.length > 0 && text.length < LIMITS.answer_piece_characters)
      text += this.#pieces.shift()!
    return text
  }

  /** Sends until it is taken. Sending again does no harm: what was taken before is passed over. */
  async #send(body: string): Promise<Awaited> {
    for (let tries = 0; Date.now() < this.#until; tries++) {
      const answer = await ask(this.#address, body)
      if (answer !== 'again') return answer
      const { base, max } = LIMITS.answer_retry_ms
      await new Promise(resolve => setTimeout(resolve, Math.min(base * 2 ** tries, max)))
    }
    return NOBODY
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      this.#notify = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** Who awaits what after a POST; `again` where it is not known to have been taken. */
async function ask(address: string, body: string): Promise<Awaited | 'again'> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': NDJSON },
      body,
      signal: AbortSignal.timeout(LIMITS.lease_ms),
    })
    const text = await response.text()
    const told = JSON.parse(text) as { open?: number[]; error?: { code: string } }
    if (response.ok && Array.isArray(told.open)) return new Set(told.open)
    const isFinal = told.error?.code === 'claim_ended' || response.status === 400 || response.status === 401
    return isFinal ? NOBODY : 'again'
  } catch {
    return 'again' // no answer, or that of somebody in between
  }
}
