// Streams a state that changes until it ends, as server-sent events. Guarantee: the newest state reaches the caller
// within two polls of its change, heartbeats keep a silent connection alive, and none stays open longer than its limit.
// The caller comes back with Last-Event-ID and misses nothing, since every event is the whole state. However many
// streams follow one thing, it is read at most twice a poll, and no account, project or key can take all streams. A
// stream ends within seconds of its caller's key or session.

import type { Context } from '../context.ts'
import { toJson } from '../json/raw-json.ts'
import { sinceMs } from '../kernel/elapsed.ts'
import { ApiError } from '../kernel/errors.ts'
import { LIMITS } from '../kernel/limits.ts'
import { liveHeaders } from '../kernel/live-answer.ts'
import { Pool } from '../kernel/pool.ts'

export interface State {
  value: unknown
  /** The state will not change any more. */
  ended: boolean
}

/** The stream's caller, and the thing it follows: the same thing for all who may see it. */
export interface Following {
  account_id: string
  project_id: string
  /** The key or session that opened the stream. */
  caller: string
  thing: string
  /** Whether the caller may still listen. */
  mayStill(): Promise<boolean>
}

/** One for the process, since contexts come and go in workerd. Nothing waits: no request there may wait for another. */
const streams = new Pool(
  {
    size: LIMITS.event_streams,
    share: [
      LIMITS.event_streams_per_account,
      LIMITS.event_streams_per_project,
      LIMITS.event_streams_per_caller,
    ],
  },
  'event_streams',
)
const places = new Set<Place>()
/**
 * The things being followed: by how many streams, when their last read began, and the last event. They hold no promise:
 * in workerd a request cannot wait for another one's.
 */
const followed = new Map<string, Shared>()

interface Shared {
  streams: number
  read_began_ms: number
  event: Event
}

/**
 * Sends a `progress` event whenever the state has changed, then one `end`. A caller that has seen the end gets 204,
 * which makes an EventSource stop.
 *
 * @throws ApiError `rate_limited` when the process, account, project or caller has as many streams open as it may
 */
export async function eventStream(
  ctx: Context,
  request: Request,
  following: Following,
  read: () => Promise<State>,
): Promise<Response> {
  const seen = request.headers.get('last-event-id')
  const first = await readEvent(read)
  if (first.ended && first.id === seen) return new Response(null, { status: 204 })
  const place = placeOf(ctx.now(), following, first)
  const wait_s = first.ended ? waitOf(request) : 0
  const events = changes(ctx, place, read, { first, seen, wait_s, mayStill: following.mayStill })
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await events.next()
        if (!done) return controller.enqueue(encoder.encode(value))
        place.leave()
        controller.close()
      } catch (error) {
        place.leave()
        controller.error(error)
      }
    },
    async cancel() {
      place.leave()
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

/** An open stream. */
interface Place {
  shared: Shared
  began_ms: number
  isOpen(): boolean
  leave(): void
}

function placeOf(now: number, { account_id, project_id, caller, thing }: Following, event: Event): Place {
  for (const place of places) if (sinceMs(now, place.began_ms) >= LIMITS.event_place_ms) place.leave()
  const giveBack = streams.tryTake([account_id, project_id, caller], 1)
  if (giveBack === undefined)
    throw new ApiError(
      'rate_limited',
      'Too many event streams are open.',
      'Poll the resource itself, or try again.',
    )
  const shared = followed.get(thing) ?? { streams: 0, read_began_ms: now, event }
  shared.streams++
  followed.set(thing, shared)
  let isOpen = true
  const place = {
    shared,
    began_ms: now,
    isOpen: () => isOpen,
    leave() {
      if (!isOpen) return
      isOpen = false
      places.delete(place)
      giveBack()
      if (--shared.streams === 0) followed.delete(thing)
    },
  }
  places.add(place)
  return place
}

/** The next event of a stream that has sent `last`; `last` again while another stream is reading, or has just read. */
async function nextEvent(
  ctx: Context,
  { shared }: Place,
  last: Event,
  read: () => Promise<State>,
): Promise<Event> {
  const now = ctx.now()
  if (shared.streams > 1 && sinceMs(now, shared.read_began_ms) < LIMITS.event_poll_ms / 2)
    return shared.event.began > last.done ? shared.event : last
  shared.read_began_ms = now
  const event = await readEvent(read)
  if (shared.event.began < event.began) shared.event = event
  return event
}

/** As in RFC 7240: a caller that tests whether a proxy buffers the stream asks that it stays open for a moment. */
function waitOf(request: Request): number {
  const wait = /(?:^|[\s,;])wait=(\d{1,4})\b/i.exec(request.headers.get('prefer') ?? '')?.[1]
  return Math.min(Number(wait ?? 0), LIMITS.event_wait_s)
}

interface Event {
  id: string
  text: string
  /** No event follows. */
  ended: boolean
  /** When reading it began and ended, as numbers in order of occurrence, independent of the clock. */
  began: number
  done: number
}

let reads = 0

interface Opening extends Pick<Following, 'mayStill'> {
  first: Event
  seen: string | null
  wait_s: number
}

async function* changes(
  ctx: Context,
  place: Place,
  read: () => Promise<State>,
  { first, seen, wait_s, mayStill }: Opening,
): AsyncGenerator<string, void> {
  let [event, last, said, known] = [first, seen, ctx.now(), ctx.now()]
  yield `retry: ${LIMITS.event_retry_ms}\n\n`
  if (wait_s > 0) await pause(wait_s * 1000)
  // A caller's leaving is noticed even while no event is sent.
  while (place.isOpen()) {
    if (event.id !== last || event.ended) {
      yield event.text
      last = event.id
      said = ctx.now()
    } else if (sinceMs(ctx.now(), said) >= LIMITS.event_heartbeat_ms) {
      yield ': still there\n\n'
      said = ctx.now()
    }
    if (event.ended || sinceMs(ctx.now(), place.began_ms) >= LIMITS.event_stream_ms) return
    await pause(LIMITS.event_poll_ms)
    if (place.isOpen() && sinceMs(ctx.now(), known) >= LIMITS.event_caller_ms) {
      if (!(await mayStill())) return
      known = ctx.now()
    }
    if (place.isOpen()) event = await nextEvent(ctx, place, event, read)
  }
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

async function readEvent(read: () => Promise<State>): Promise<Event> {
  const began = ++reads
  const { value, ended } = await read()
  const done = ++reads
  const data = toJson(value)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(data)))
  const id = Array.from(digest.slice(0, 8), byte => byte.toString(16).padStart(2, '0')).join('')
  const text = `id: ${id}\nevent: ${ended ? 'end' : 'progress'}\ndata: ${data}\n\n`
  return { id, text, ended, began, done }
}
