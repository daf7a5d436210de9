// Server-sent events of something that changes until it ends. Guarantee: the newest state reaches the caller within
// a poll of its change, a silent connection says that it lives, and none stays open longer than its bound: the
// caller comes back with Last-Event-ID and misses nothing, since every event is the whole state.

import type { Context } from '../context.ts'
import { ApiError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { liveHeaders } from '../kernel/live-answer.ts'
import { toJson } from '../schema/raw-json.ts'

export interface State {
  value: unknown
  /** Nothing will change any more. */
  ended: boolean
}

let open = 0

/**
 * `progress` events with the state whenever it is another one, then one `end`. A caller that has seen the end gets
 * 204, which tells an EventSource to stop.
 *
 * @throws ApiError `rate_limited` when this process has as many streams open as it takes
 */
export async function eventStream(
  ctx: Context,
  request: Request,
  read: () => Promise<State>,
): Promise<Response> {
  const seen = request.headers.get('last-event-id')
  const first = await eventOf(await read())
  if (first.ended && first.id === seen) return new Response(null, { status: 204 })
  if (open >= LIMITS.event_streams)
    throw new ApiError(
      'rate_limited',
      'Too many event streams are open.',
      'Poll the resource itself, or try again.',
    )
  open++
  const wait_s = first.ended ? waitOf(request) : 0
  const events = changes(ctx, read, first, { seen, wait_s })
  let isOpen = true
  const close = () => {
    if (isOpen) open--
    isOpen = false
  }
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await events.next()
        if (!done) return controller.enqueue(encoder.encode(value))
        close()
        controller.close()
      } catch (error) {
        close()
        controller.error(error)
      }
    },
    async cancel() {
      close()
      await events.return(undefined)
    },
  })
  return new Response(body, {
    headers: {
      ...liveHeaders('text/event-stream'),
      ...(wait_s > 0 && { 'preference-applied': `wait=${wait_s}` }),
    },
  })
}

/** As RFC 7240 has it: who wants to see whether a proxy keeps the stream back asks that it stays open for a moment. */
function waitOf(request: Request): number {
  const wait = /(?:^|[\s,;])wait=(\d{1,4})\b/i.exec(request.headers.get('prefer') ?? '')?.[1]
  return Math.min(Number(wait ?? 0), LIMITS.event_wait_s)
}

interface Event {
  id: string
  text: string
  ended: boolean
}

async function* changes(
  ctx: Context,
  read: () => Promise<State>,
  first: Event,
  { seen, wait_s }: { seen: string | null; wait_s: number },
): AsyncGenerator<string, void> {
  const until = ctx.now() + LIMITS.event_stream_ms
  let [event, last, said] = [first, seen, ctx.now()]
  yield `retry: ${LIMITS.event_retry_ms}\n\n`
  if (wait_s > 0) await pause(wait_s * 1000)
  for (;;) {
    if (event.id !== last || event.ended) {
      yield event.text
      last = event.id
      said = ctx.now()
    } else if (ctx.now() - said >= LIMITS.event_heartbeat_ms) {
      yield ': still there\n\n'
      said = ctx.now()
    }
    if (event.ended || ctx.now() >= until) return
    await pause(LIMITS.event_poll_ms)
    event = await eventOf(await read())
  }
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

async function eventOf({ value, ended }: State): Promise<Event> {
  const data = toJson(value)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(data)))
  const id = Array.from(digest.slice(0, 8), byte => byte.toString(16).padStart(2, '0')).join('')
  return { id, ended, text: `id: ${id}\nevent: ${ended ? 'end' : 'progress'}\ndata: ${data}\n\n` }
}
