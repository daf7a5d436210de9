// How the server reaches addresses that callers named. The host does it, because guarding such a request takes sockets:
// an address is judged after it was resolved, and the connection goes to the very address that was judged.

export interface OutsideRequest {
  /** http or https. */
  url: string
  /** Whose share of what the host gives to all is used, as look-ups of names; null where nobody's is known. */
  account_id: string | null
  headers: Record<string, string>
  /** A text, or what is too long to be held. */
  body: string | OutsideFile
  signal: AbortSignal
}

/** Reading it may fail: then the request is broken off, so that nobody takes a part for the whole. */
export interface OutsideFile {
  bytes: number
  read(): AsyncIterable<Uint8Array>
}

/**
 * POSTs and returns the status of the answer; what else it says is read up to a bound and dropped, redirects are not
 * followed.
 *
 * @throws Error that says in words why there is no answer: the address is not public, nothing listens, time is up
 */
export type Post = (request: OutsideRequest) => Promise<{ status: number }>

export interface OutsideAnswer {
  status: number
  /** Undefined where the answer has no such header. */
  header(name: string): string | undefined
  /** Whether a connection that is cut can be told from an end: the answer says its length, or comes in pieces that do. */
  framed: boolean
  /** As it was sent, not decompressed. Fails with the signal's reason, or in words when the connection is cut. */
  body: AsyncIterable<Uint8Array>
}

/** GETs, under the same guard; redirects are not followed. The body must be read, or the signal aborted. @throws like Post */
export type Get = (request: Omit<OutsideRequest, 'body'>) => Promise<OutsideAnswer>

export interface Mail {
  to: string
  subject: string
  text: string
  /** The same for readers of mail that show it. */
  html?: string | undefined
}

/** @throws Error that says in words why the mail was not taken */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<void>
