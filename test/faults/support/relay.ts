// Stands in for a platform's service in front of servers of one kind: a connection goes to the next server that accepts
// it. It can be held, so that what is in flight stays in flight; it can delay data, cut open connections, and refuse
// new ones.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

export interface Relay {
  port: number
  /** How many connections each server accepted. */
  taken: number[]
  /** Passes nothing more to the servers until the returned function is called. */
  hold(): () => void
  /** Ends all open connections. */
  cut(): void
  /** Delays what is sent from now on, in both directions, until the returned function is called. */
  delay(ms: number): () => void
  /** Refuses new connections until the returned function is called; open ones stay open. */
  refuse(): () => Promise<void>
  close(): Promise<void>
}

/** How a client reaches its server: `pipe` and `unpipe` act between the first two. */
interface Way {
  client: Socket
  late: Transform
  server: Socket
}

export async function startRelay(ports: readonly number[]): Promise<Relay> {
  const ways = new Set<Way>()
  const taken = ports.map(() => 0)
  let next = 0
  let isHeld = false
  let late_ms = 0

  async function reach(): Promise<Socket | undefined> {
    for (const _ of ports) {
      const at = next++ % ports.length
      const server = connect(ports[at]!, '127.0.0.1')
      const isOpen = await once(server, 'connect').then(
        () => true,
        () => false,
      )
      if (!isOpen) continue
      taken[at]!++
      return server
    }
    return undefined
  }

  const listener = createServer(async client => {
    client.on('error', () => client.destroy())
    const server = await reach()
    if (server === undefined || client.destroyed) {
      server?.destroy()
      return client.destroy()
    }
    const way = { client, late: later(() => late_ms), server }
    ways.add(way)
    server.on('error', () => client.destroy())
    server.on('close', () => client.destroy())
    client.on('close', () => {
      ways.delete(way)
      server.destroy()
    })
    server.pipe(later(() => late_ms)).pipe(client)
    way.late.pipe(server)
    if (!isHeld) client.pipe(way.late)
  })
  const listen = async (port: number) => {
    listener.listen(port, '127.0.0.1')
    await once(listener, 'listening')
  }
  const cut = () => {
    for (const { client } of ways) client.destroy()
  }
  await listen(0)
  const { port } = listener.address() as AddressInfo
  return {
    port,
    taken,
    hold() {
      isHeld = true
      for (const { client, late } of ways) client.unpipe(late)
      return () => {
        isHeld = false
        for (const { client, late } of ways) client.pipe(late)
      }
    },
    cut,
    delay(ms) {
      late_ms = ms
      return () => {
        late_ms = 0
      }
    },
    refuse() {
      listener.close()
      return () => listen(port)
    },
    async close() {
      cut()
      if (!listener.listening) return
      listener.close()
      await once(listener, 'close')
    },
  }
}

/** Passes on its input in order, each piece as much later as `late_ms` says when it arrives. */
function later(late_ms: () => number): Transform {
  let last = Promise.resolve()
  let waiting = 0
  return new Transform({
    transform(chunk, _, done) {
      const ms = late_ms()
      if (ms === 0 && waiting === 0) return done(null, chunk)
      const arrives = performance.now() + ms
      waiting++
      last = last.then(async () => {
        const left = arrives - performance.now()
        if (left > 0) await pause(left)
        waiting--
        this.push(chunk)
      })
      done()
    },
    flush(done) {
      last.then(() => done())
    },
  })
}
