// Sends an agent's lines after its request has ended. Guarantee: lines leave in the order written, one POST at a time,
// and each POST is repeated until it is taken or nobody awaits it; while there are no lines, heartbeats keep the lease.

import { LIMITS } from '../kernel/limits.ts'
import { NDJSON, VERSION_HEADER } from '../protocol/rules/protocol.ts'

/** The `seq` of the items that are still awaited. */
export type Awaited = ReadonlySet<number>

const NOBODY: Awaited = new Set()
const HEARTBEAT = '{"type":"heartbeat"}\n'

/** Where lines are sent, and the version of the code that sends them. */
interface Destination {
  address: string
  version: string | undefined
}

export class LaterAnswer {
  /** Resolves when all lines were sent, or nobody awaits any item. */
  readonly done: Promise<void>
  readonly #to: Destination
  readonly #until: number
  readonly #onTaken: (awaited: Awaited) => void
  #pieces: string[] = []
  #ended = false
  #notify: () => void = () => {}

  /** `until` is the deadline of the last item (epoch, ms); `onTaken` gets the items still awaited after each POST. */
  constructor(to: Destination, until: number, onTaken: (awaited: Awaited) => void) {
    this.#to = to
    this.#until = until + 2 * LIMITS.lease_ms // the last lines may have to be sent again
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

  /** Removes as many pieces as one POST should carry; a piece is never cut. */
  #take(): string {
    let text = ''
    while (this.#pieces.length > 0 && text.length < LIMITS.answer_piece_characters)
      text += this.#pieces.shift()!
    return text
  }

  /** Repeats the POST until it is taken. That does no harm: lines that were taken before are skipped. */
  async #send(body: string): Promise<Awaited> {
    for (let tries = 0; Date.now() < this.#until; tries++) {
      const answer = await ask(this.#to, body)
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

/** The items still awaited after a POST; `again` if it is not known to have been taken. */
async function ask({ address, version }: Destination, body: string): Promise<Awaited | 'again'> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': NDJSON, ...(version !== undefined && { [VERSION_HEADER]: version }) },
      body,
      signal: AbortSignal.timeout(LIMITS.lease_ms),
    })
    const text = await response.text()
    const answer = JSON.parse(text) as { open?: number[]; error?: { code: string } }
    if (response.ok && Array.isArray(answer.open)) return new Set(answer.open)
    const isFinal = answer.error?.code === 'claim_ended' || response.status === 400 || response.status === 401
    return isFinal ? NOBODY : 'again'
  } catch {
    return 'again' // no answer, or one that a proxy wrote
  }
}
