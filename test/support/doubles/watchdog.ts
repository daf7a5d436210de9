// A double of of-watchdog 0.11.6 in http mode, by its source and its README: which requests it refuses, when it streams
// a response and when it buffers it, and what it does at SIGTERM in which order. Metrics, logging, static and streaming
// modes and JWT are left out.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import { freePort } from '../ports.ts'
import { type FunctionProcess, startProcess } from './process.ts'
import { passBack, passOn, plain, startProxy } from './proxy.ts'

/** How much io.Copy into Go's response writer buffers before it sends. */
const GO_BUFFER_BYTES = 4096
const STREAMED = /application\/x-ndjson|text\/event-stream/

/** Where the platform asks a pod whether it may get requests. */
export const READY = '/_/ready'

export interface Watchdog {
  url: string
  process: FunctionProcess
  /**
   * Sends SIGTERM to the watchdog. It passes the signal on at once, accepts requests for `healthcheck_interval`, lets
   * requests in flight end within `write_timeout`, and exits; what still runs in its container is killed then.
   */
  terminate(): Promise<'left' | 'failed'>
}

/** Reads its settings from the environment that the function gets too: mode, fprocess, upstream_url, timeouts. */
export async function startWatchdog(settings: Record<string, string>): Promise<Watchdog> {
  const port = await freePort()
  const env: Record<string, string> = {
    read_timeout: '30s',
    write_timeout: '30s',
    exec_timeout: '30s',
    max_inflight: '0',
    ...settings,
    upstream_url: `http://127.0.0.1:${port}`,
    PORT: String(port),
  }
  const seconds = (name: string) => Number.parseFloat(env[name]!)
  const healthcheck_s =
    env.healthcheck_interval === undefined ? seconds('write_timeout') : seconds('healthcheck_interval')
  const process = startProcess(env.fprocess!.split(' '), env)
  let inFlight = 0
  let isHealthy = true // stands for the lock file

  /** By default its own alone; with `ready_path` also what the function answers there. */
  async function readiness(): Promise<number> {
    if (!isHealthy) return 503
    if (env.ready_path === undefined) return 200
    const answer = await fetch(`${env.upstream_url}${env.ready_path}`).catch(() => undefined)
    await answer?.body?.cancel()
    return answer?.status ?? 503
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const isFull = inFlight >= Number(env.max_inflight) && env.max_inflight !== '0'
    if (incoming.url === '/_/health') return void plain(outgoing, isHealthy ? 200 : 503, '')
    if (incoming.url === READY) return void plain(outgoing, isFull ? 429 : await readiness(), '')
    if (isFull) {
      const text = `Concurrent request limit exceeded. Max concurrent requests: ${env.max_inflight}\n`
      return void plain(outgoing, 429, text, { 'x-openfaas-internal': 'faas-middleware' })
    }
    inFlight++
    outgoing.once('close', () => inFlight--)
    const isStreamed = STREAMED.test(incoming.headers.accept ?? '')
    // A streamed response goes through the reverse proxy of Go's library, to which exec_timeout does not apply.
    const timer = isStreamed ? undefined : setTimeout(tooLate, seconds('exec_timeout') * 1000, outgoing)
    const cut = setTimeout(() => outgoing.destroy(), seconds('write_timeout') * 1000)
    try {
      const response = await passOn(
        incoming,
        outgoing,
        new URL(`http://127.0.0.1:${port}${incoming.url}`),
        {},
      )
      if (!outgoing.headersSent) await passBack(response, outgoing, isStreamed ? 0 : GO_BUFFER_BYTES)
    } catch {
      if (!outgoing.headersSent) plain(outgoing, isStreamed ? 502 : 500, '')
    } finally {
      clearTimeout(timer)
      clearTimeout(cut)
    }
  }

  const proxy = await startProxy(handle)
  let isLeaving = false
  // A function that exits with anything but 0 ends the watchdog too, whatever it was doing.
  const failed = process.ended.then(code => {
    if (code === 0 || isLeaving) return new Promise<never>(() => {})
    proxy.kill()
    return 'failed' as const
  })

  async function drain(): Promise<'left'> {
    isHealthy = false
    process.child.kill('SIGTERM')
    await after(healthcheck_s * 1000)
    await Promise.race([proxy.close(), after(seconds('write_timeout') * 1000, null, { ref: false })])
    isLeaving = true
    proxy.kill()
    process.child.kill('SIGKILL')
    return 'left'
  }
  return { url: proxy.url, process, terminate: () => Promise.race([drain(), failed]) }
}

function tooLate(outgoing: ServerResponse): void {
  if (outgoing.headersSent) outgoing.destroy()
  else plain(outgoing, 504, '', { 'x-openfaas-internal': 'of-watchdog' })
}
