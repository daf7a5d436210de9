// What busy projects ask and tell: a server that answers steps at once or keeps them, and takes messages or refuses.

import type { ServerResponse } from 'node:http'
import { type Received, startReceiver } from './receiver.ts'

export interface Outside {
  origin: string
  /** As a deployment's declaration names it. */
  host: string
  /** Where a project's callbacks of that name go. */
  told(project: string, name: string): string
  /** Messages that got a 2xx. */
  taken: Received[]
  /** Messages that were refused. */
  refused: Received[]
  /** How often each path of a step was answered. */
  answered: Map<string, number>
  /** The paths of a project's steps that wait for an answer. */
  waitingOf(project: string): string[]
  /** Paths that begin like this are kept waiting. */
  hold(prefix: string): void
  /** Answers what waits below the prefix, and keeps nothing there any more. */
  release(prefix: string): void
  /** Answers one step that waits. */
  answer(path: string): void
  /** Messages to paths that end like this are refused until it is null. */
  refuse: string | null
  close(): Promise<void>
}

export async function startOutside(): Promise<Outside> {
  const receiver = await startReceiver()
  const { origin, host } = new URL(receiver.url)
  const held = new Set<string>()
  const waiting = new Map<string, ServerResponse[]>()
  const end = (path: string, response: ServerResponse) => {
    if (response.destroyed) return // who asked has gone
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
    told: (project, name) => `${origin}/${project}/told/${name}`,
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
    if (path.includes('/told/')) {
      const refused = outside.refuse !== null && path.endsWith(outside.refuse)
      outside[refused ? 'refused' : 'taken'].push(receiver.received.at(-1)!)
      return void response.writeHead(refused ? 503 : 204).end()
    }
    if (![...held].some(prefix => path.startsWith(prefix))) return end(path, response)
    waiting.set(path, [...(waiting.get(path) ?? []), response])
  }
  return outside
}
