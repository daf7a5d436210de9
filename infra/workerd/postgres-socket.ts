// Opens TLS connections to PostgreSQL from workerd, which cannot upgrade a node:net socket to TLS once it has read
// something. Guarantee: chain and name of the certificate are verified whatever sslmode says, since workerd supports
// nothing less.

import { connect, type Socket } from 'cloudflare:sockets'
import { Duplex } from 'node:stream'

const SSL_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47)
const YES = 83 // 'S'

/** Fails and closes like a socket; if either side refuses TLS, the error says what to do. */
export function openPostgresSocket(hostname: string, port: number): Duplex {
  const plain = connect({ hostname, port }, { secureTransport: 'starttls', allowHalfOpen: false })
  let socket = plain
  let reader: ReadableStreamDefaultReader<Uint8Array>
  let writer: WritableStreamDefaultWriter<Uint8Array>
  return new Duplex({
    allowHalfOpen: false,
    construct(done) {
      startTls(plain).then(started => {
        socket = started
        reader = socket.readable.getReader()
        writer = socket.writable.getWriter()
        done()
      }, done)
    },
    read() {
      reader.read().then(({ done, value }) => {
        this.push(done ? null : Buffer.from(value))
      }, this.destroy.bind(this))
    },
    write(chunk, _, done) {
      writer.write(chunk).then(() => done(), done)
    },
    destroy(error, done) {
      const closed = () => done(error)
      socket.close().then(closed, closed)
    },
  })
}

async function startTls(plain: Socket): Promise<Socket> {
  if (!(await agreesToTls(plain))) {
    throw new Error('PostgreSQL takes no TLS there: switch ssl on, or leave sslmode out of DATABASE_URL.')
  }
  const socket = plain.startTls()
  try {
    await socket.opened
  } catch (error) {
    throw new Error(
      `PostgreSQL was not trusted (${(error as Error).message}): name its CA by store_ca in the values, and the server as its certificate does.`,
    )
  }
  return socket
}

async function agreesToTls({ readable, writable }: Socket): Promise<boolean> {
  const writer = writable.getWriter()
  await writer.write(SSL_REQUEST)
  writer.releaseLock()
  const reader = readable.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  return value?.[0] === YES
}
