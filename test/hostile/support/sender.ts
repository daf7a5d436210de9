// Requests as an attacker writes them: bytes on a connection, sent whatever the server says meanwhile.

import { connect, type Socket } from 'node:net'
import type { Stack } from '../../support/stack.ts'

export interface Sending {
  method?: string
  path: string
  headers?: Record<string, string>
  /** The declared length of the body; without one it is sent in chunks. */
  length?: number | undefined
  body?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** The address of this machine that it comes from. */
  from?: string
}

export interface Sent {
  /** The status of the answer; undefined if the connection ended without one. */
  status: number | undefined
  /** Bytes of the body that the network took. */
  bytes: number
  answer: string
}

export const addressOf = ({ base_url }: Stack) => ({
  host: '127.0.0.1',
  port: Number(new URL(base_url).port),
})

/** Sends all of it, unless the server ends the connection, and reads the answer to its end. */
export async function send(stack: Stack, sending: Sending): Promise<Sent> {
  const { method = 'POST', path, headers = {}, length, body = [], from } = sending
  const socket = connect({ ...addressOf(stack), ...(from && { localAddress: from }) })
  const answer = answerOn(socket)
  const own = { host: 'assay.test', connection: 'close', ...headers }
  const framing =
    length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }
  const head = Object.entries({ ...own, ...(method === 'GET' ? {} : framing) })
  socket.write(
    `${method} ${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  )
  let bytes = 0
  for await (const piece of body) {
    if (socket.destroyed) break
    await written(socket, length === undefined ? chunkOf(piece) : piece)
    bytes += piece.length
  }
  if (length === undefined && method !== 'GET') await written(socket, '0\r\n\r\n')
  const text = await answer
  socket.destroy()
  return { status: statusOf(text), bytes, answer: text }
}

const chunkOf = (piece: Uint8Array) =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])

export const statusOf = (answer: string): number | undefined => {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]
  return status === undefined ? undefined : Number(status)
}

/** What arrives on a connection until its end. */
export function answerOn(socket: Socket): Promise<string> {
  return new Promise(resolve => {
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      if (text.length < 100_000) text += bytes.toString('latin1')
    })
    socket.on('error', () => {}) // a reset is an end as well
    socket.once('close', () => resolve(text))
  })
}

/** Resolves when the network has room for more, or the connection has ended. */
function written(socket: Socket, bytes: Uint8Array | string): Promise<void> | undefined {
  if (socket.destroyed || socket.write(bytes)) return undefined
  return new Promise(resolve => {
    const go = () => {
      socket.off('drain', go).off('close', go)
      resolve()
    }
    socket.on('drain', go).on('close', go)
  })
}

const PIECE_BYTES = 64 * 1024

/** This many equal bytes, in pieces. */
export function* fill(bytes: number, byte = 0x20): Generator<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES).fill(byte)
  for (let left = bytes; left > 0; left -= PIECE_BYTES)
    yield left < PIECE_BYTES ? piece.subarray(0, left) : piece
}

/** Keeps `count` of them going until the time is over; returns all their results. */
export async function atATime<T>(count: number, ms: number, one: (n: number) => Promise<T>): Promise<T[]> {
  const until = Date.now() + ms
  const all: T[] = []
  const again = async (n: number) => {
    do all.push(await one(n))
    while (Date.now() < until)
  }
  await Promise.all(Array.from({ length: count }, (_, n) => again(n)))
  return all
}

/** How often each value came, so that the results of many requests fit on a line. */
export const tally = (values: readonly unknown[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(values, String)].map(([value, all]) => [value, all.length]))
