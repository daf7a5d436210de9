// What stands before two servers of one kind where no platform's service does: a connection goes to the next of them that
// takes it. It can be closed for a while, so that what is under way stays under way.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Relay {
  port: number
  /** Connections that each server took. */
  taken: number[]
  /** Nothing more reaches the servers until the returned function is called. */
  hold(): () => void
  close(): Promise<void>
}

export async function startRelay(ports: readonly number[]): Promise<Relay> {
  const pairs = new Map<Socket, Socket>()
  const taken = ports.map(() => 0)
  let next = 0
  let isHeld = false

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
    pairs.set(client, server)
    server.on('error', () => client.destroy())
    server.on('close', () => client.destroy())
    client.on('close', () => {
      pairs.delete(client)
      server.destroy()
    })
    server.pipe(client)
    if (!isHeld) client.pipe(server)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    taken,
    hold() {
      isHeld = true
      for (const [client, server] of pairs) client.unpipe(server)
      return () => {
        isHeld = false
        for (const [client, server] of pairs) client.pipe(server)
      }
    },
    async close() {
      for (const client of pairs.keys()) client.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}
