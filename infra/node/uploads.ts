// Ends requests whose body does not arrive. Guarantee: a body that keeps arriving is never ended for taking long; a
// body that stalls, or trickles for longer than a request may take, is ended with an error to its sender. The sender is
// not blamed for bytes this process has not read, nor for time in which the process was blocked.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS } from '../../shared/kernel/limits.ts'

export interface UploadBounds {
  look_ms: number
  /** How many checks in a row may find no new bytes. */
  idle_looks: number
  /** The number of checks after which a few bytes no longer count as progress. */
  free_looks: number
  /** The fewest bytes in `idle_looks` that count as progress from then on. */
  least_bytes: number
}

/** How often uploads are checked: we end a stalled one before a platform ends its function. */
export const LOOK_MS = 2000

const BOUNDS: UploadBounds = {
  look_ms: LOOK_MS,
  idle_looks: LIMITS.body_stall_ms / LOOK_MS + 1, // one check more, so that the body's reader reports it first
  free_looks: LIMITS.upload_ms / LOOK_MS,
  least_bytes: LIMITS.upload_least_bytes,
}

const BODY = JSON.stringify({
  error: {
    code: 'invalid_request',
    message: `The body stood still for ${LIMITS.body_stall_ms / 1000} s, or trickled for longer than ${LIMITS.upload_ms / 1000} s.`,
    hint: 'Send it again, on a faster line or in several batches.',
  },
})
const TOO_LATE = `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(BODY)}\r\n\r\n${BODY}`

interface Upload {
  request: IncomingMessage
  response: ServerResponse
  looks: number
  /** The number of checks in a row without progress; `bytes` is the socket's count at the last progress. */
  idle: number
  bytes: number
}

/** Replaces the server's own limit, which is on the total time. */
export function watchUploads(server: Server, bounds = BOUNDS): void {
  server.requestTimeout = 0
  const uploads = new Set<Upload>()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
    if (length === '0' && coding === undefined) return
    const upload = { request, response, looks: 0, idle: 0, bytes: request.socket.bytesRead }
    uploads.add(upload)
    request.once('close', () => uploads.delete(upload))
  })
  const look = () => {
    for (const upload of uploads)
      if (upload.request.complete || isOver(upload, bounds)) uploads.delete(upload)
  }
  const timer = setInterval(look, bounds.look_ms)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

function isOver(upload: Upload, { idle_looks, free_looks, least_bytes }: UploadBounds): boolean {
  const { request, response } = upload
  const { socket } = request
  upload.looks++
  const least = upload.looks < free_looks ? 1 : least_bytes
  if (request.readableLength > 0 || socket.bytesRead - upload.bytes >= least) {
    upload.idle = 0
    upload.bytes = socket.bytesRead
    return false
  }
  if (++upload.idle < idle_looks) return false
  end(socket, response)
  return true
}

function end(socket: Socket, response: ServerResponse): void {
  if (response.headersSent) socket.destroy()
  else socket.write(TOO_LATE, () => socket.destroy())
}
