// Ends requests whose body does not arrive. Guarantee: a body that goes on arriving is never ended for how long it takes; one
// that stands still, or trickles for longer than a request may, is ended, and its sender told. What this process does not
// read, and time in which it stood still, is not held against the sender.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS } from '../../shared/kernel/limits.ts'

export interface UploadBounds {
  look_ms: number
  /** Looks that may find nothing new. */
  idle_looks: number
  /** Looks from which on a few bytes are no progress any more. */
  free_looks: number
  /** In `idle_looks`, from then on. */
  least_bytes: number
}

/** How often uploads are looked at: one is ended by us, before a platform ends its function. */
export const LOOK_MS = 2000

const BOUNDS: UploadBounds = {
  look_ms: LOOK_MS,
  idle_looks: LIMITS.body_stall_ms / LOOK_MS + 1, // whoever reads the body says it first
  free_looks: LIMITS.upload_ms / LOOK_MS,
  least_bytes: LIMITS.upload_least_bytes,
}

const TOLD = JSON.stringify({
  error: {
    code: 'invalid_request',
    message: `The body stood still for ${LIMITS.body_stall_ms / 1000} s, or trickled for longer than ${LIMITS.upload_ms / 1000} s.`,
    hint: 'Send it again, on a faster line or in several batches.',
  },
})
const TOO_LATE = `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(TOLD)}\r\n\r\n${TOLD}`

interface Upload {
  request: IncomingMessage
  response: ServerResponse
  looks: number
  /** Since when by looks, and from how many bytes on, nothing counted as progress. */
  idle: number
  bytes: number
}

/** Takes the place of the server's own bound, which is one on the whole time. */
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
