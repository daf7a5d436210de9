// A response to which lines are written as they come. Guarantee: the lines of one turn of the event loop leave as one
// chunk, up to FLUSH_CHARACTERS; a response that is complete within the first turn is not streamed at all.

import { liveHeaders } from '../kernel/live-answer.ts'
import { NDJSON, VERSION_HEADER } from '../protocol/rules/protocol.ts'

const HEADERS = liveHeaders(NDJSON)
const FLUSH_CHARACTERS = 1024 * 1024 // a turn that gathers more is flushed early
const LATER = '{"type":"later"}'
const encoder = new TextEncoder()

export class LineResponse {
  readonly response: Promise<Response>
  #answer!: (response: Response) => void
  readonly #headers: Record<string, string>
  #onStream: () => void
  #onCancel: () => void
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #text = ''
  #scheduled = false
  #closed = false

  /** `onStream` is called when the response takes longer than one turn, `onCancel` when its reader closes it. */
  constructor(onStream: () => void, onCancel: () => void, version: string | undefined) {
    this.#headers = version === undefined ? HEADERS : { ...HEADERS, [VERSION_HEADER]: version }
    this.#onStream = onStream
    this.#onCancel = onCancel
    this.response = new Promise(resolve => {
      this.#answer = resolve
    })
    this.#schedule()
  }

  write(line: string): void {
    this.#text += `${line}\n`
    if (!this.#scheduled) this.#schedule()
    else if (this.#text.length >= FLUSH_CHARACTERS && this.#controller) this.#flush()
  }

  end(): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#controller) {
      this.#flush()
      this.#controller.close()
    } else {
      this.#answer(new Response(this.#text, { headers: this.#headers }))
    }
  }

  /** Ends the response early: the remaining lines are answered later. */
  leave(): void {
    this.write(LATER)
    this.end()
  }

  #schedule(): void {
    this.#scheduled = true
    nextTurn(() => {
      this.#scheduled = false
      if (this.#closed) return
      if (this.#controller) this.#flush()
      else this.#stream()
    })
  }

  #stream(): void {
    const body = new ReadableStream<Uint8Array>({
      start: controller => {
        this.#controller = controller
      },
      cancel: () => {
        this.#closed = true
        this.#onCancel()
      },
    })
    this.#answer(new Response(body, { headers: this.#headers }))
    this.#flush()
    this.#onStream()
  }

  #flush(): void {
    if (this.#text === '') return
    this.#controller!.enqueue(encoder.encode(this.#text))
    this.#text = ''
  }
}

// setTimeout(0) waits a millisecond in Node; runtimes without setImmediate do not have that floor.
function nextTurn(fn: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(fn)
  else setTimeout(fn, 0)
}
