// A double of what Knative Serving puts around a container, after its runtime contract (knative/specs of April 2026)
// and the documentation of Serving 1.18: a revision of at most one pod, started by the first request and ended by
// `scaleToZero`. Activator, autoscaler and queue-proxy are one here; routing by host name, metrics, gRPC and panic mode
// are left out.

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import { freePort } from '../ports.ts'
import { type FunctionProcess, hasEnded, startProcess } from './process.ts'
import { passBack, passOn, plain, startProxy } from './proxy.ts'

/** The queue-proxy probes a starting container many times a second. */
const PROBE_MS = 25
const START_MS = 60_000

export interface RevisionOptions {
  name: string
  command: string[]
  env: Record<string, string>
  /** Requests that a container gets at once; further ones are queued. 0: no limit. */
  containerConcurrency?: number
  timeoutSeconds?: number
  readinessPath?: string
}

export interface Revision {
  url: string
  /** The pod's process, while there is one. */
  pod(): FunctionProcess | undefined
  /** How many pods were started. */
  started(): number
  /** Ends the pod once it is idle: preStop waits for the requests in flight, and SIGTERM follows. */
  scaleToZero(): Promise<number | string | undefined>
  close(): Promise<void>
}

interface Pod {
  process: FunctionProcess
  url: string
}

export async function startRevision(options: RevisionOptions): Promise<Revision> {
  const { containerConcurrency = 0, timeoutSeconds = 300 } = options
  let pod: Promise<Pod> | undefined
  let running: FunctionProcess | undefined
  let started = 0
  let inFlight = 0
  const waiting: (() => void)[] = []
  let idle = () => {}

  async function takeSlot(): Promise<void> {
    if (containerConcurrency > 0 && inFlight >= containerConcurrency) {
      await new Promise<void>(resolve => waiting.push(resolve)) // it takes over the slot of the request that ends
      return
    }
    inFlight++
  }
  function giveSlot(): void {
    const next = waiting.shift()
    if (next) return next()
    inFlight--
    if (inFlight === 0) idle()
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    await takeSlot()
    const timer = setTimeout(() => {
      if (outgoing.headersSent) outgoing.destroy()
      else plain(outgoing, 504, 'request timeout')
    }, timeoutSeconds * 1000)
    try {
      pod ??= startPod()
      const { url } = await pod
      const forwarded = [incoming.headers['x-forwarded-for'], incoming.socket.remoteAddress]
      const headers = {
        'x-forwarded-for': forwarded.filter(Boolean).join(', '),
        'k-proxy-request': 'activator',
      }
      const response = await passOn(incoming, outgoing, new URL(url + incoming.url), headers)
      if (!outgoing.headersSent) await passBack(response, outgoing)
    } catch (error) {
      if (!outgoing.headersSent) plain(outgoing, 502, `dial: ${(error as Error).message}`)
    } finally {
      clearTimeout(timer)
      giveSlot()
    }
  }

  async function startPod(): Promise<Pod> {
    const port = await freePort()
    started++
    running = startProcess(options.command, {
      ...options.env,
      PORT: String(port),
      K_SERVICE: options.name,
      K_CONFIGURATION: options.name,
      K_REVISION: `${options.name}-00001`,
    })
    const process = running
    void process.ended.then(() => {
      if (running === process) pod = running = undefined // the next request starts another
    })
    const url = `http://127.0.0.1:${port}`
    await isReady(`${url}${options.readinessPath ?? '/healthz'}`, process)
    return { process, url }
  }

  async function end(): Promise<number | string | undefined> {
    const ending = await pod
    if (ending === undefined) return undefined
    if (inFlight > 0) await new Promise<void>(resolve => (idle = resolve))
    pod = running = undefined
    ending.process.child.kill('SIGTERM')
    // The grace period of the pod is its timeout.
    const late = after(timeoutSeconds * 1000, undefined, { ref: false }).then(() => {
      ending.process.child.kill('SIGKILL')
      return ending.process.ended
    })
    return Promise.race([ending.process.ended, late])
  }

  const proxy = await startProxy(handle)
  return {
    url: proxy.url,
    pod: () => running,
    started: () => started,
    scaleToZero: end,
    async close() {
      proxy.kill()
      const left = running
      if (left === undefined || hasEnded(left.child)) return
      left.child.kill('SIGKILL')
      await once(left.child, 'exit')
    },
  }
}

async function isReady(url: string, process: FunctionProcess): Promise<void> {
  const until = performance.now() + START_MS
  while (performance.now() < until) {
    if (hasEnded(process.child)) throw new Error(`the container ended: ${process.log()}`)
    const response = await fetch(url).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    await after(PROBE_MS)
  }
  throw new Error(`the container was not ready in time: ${process.log()}`)
}
