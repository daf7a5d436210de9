// The server that busy projects call: it answers steps at once or holds them, and accepts messages or refuses them.

import type { ServerResponse } from 'node:http'
import { type Received, startReceiver } from './receiver.ts'

export interface Outside {
  origin: string
  /** Its host, as a deployment's declaration names it. */
  host: string
  /** The URL for a project's callbacks of that name. */
  callbackUrl(project: string, name: string): string
  /** Messages that got a 2xx. */
  taken: Received[]
  /** Messages that were refused. */
  refused: Received[]
  /** How often each path of a step was answered. */
  answered: Map<string, number>
  /** The paths of a project's steps that are held. */
  waitingOf(project: string): string[]
  /** Holds requests to paths with this prefix from now on. */
  hold(prefix: string): void
  /** Answers the requests held for the prefix, and holds no more there. */
  release(prefix: string): void
  /** Answers one held step. */
  answer(path: string): void
  /** Messages to paths with this suffix are refused; null refuses none. */
  refuse: string | null
  close(): Promise<void>
}

export async function startOutside(): Promise<Outside> {
  const receiver = await startReceiver()
  const { origin, host } = new URL(receiver.url)
  const held = new Set<string>()
  const waiting = new Map<string, ServerResponse[]>()
  const end = (path: string, response: ServerResponse) => {
    if (response.destroyed) return // the caller has gone
    outside.answered.set(path, (outside.answered.get(path) ?? 0) + 1)
    response.end('answered')
  }
  const endAll = (path: string) => {
    for (const response of waiting.get(path) ?? []) end(path, response)
    waiting.delete(path)
  }
  const outside: Outside = {
    origin,
    host,
    callbackUrl: (project, name) => `${origin}/${project}/notified/${name}`,
    taken: [],
    refused: [],
    answered: new Map(),
    waitingOf: project => [...waiting.keys()].filter(path => path.startsWith(`/${project}/`)),
    hold: prefix => void held.add(prefix),
    release(prefix) {
      held.delete(prefix)
      for (const path of [...waiting.keys()]) if (path.startsWith(prefix)) endAll(path)
    },
    answer: endAll,
    refuse: null,
    close: () => receiver.close(),
  }
  receiver.answer = (response, request) => {
    const path = request.url!
    if (path.includes('/notified/')) {
      const refused = outside.refuse !== null && path.endsWith(outside.refuse)
      outside[refused ? 'refused' : 'taken'].push(receiver.received.at(-1)!)
      return void response.writeHead(refused ? 503 : 204).end()
    }
    if (![...held].some(prefix => path.startsWith(prefix))) return end(path, response)
    waiting.set(path, [...(waiting.get(path) ?? []), response])
  }
  return outside
}
