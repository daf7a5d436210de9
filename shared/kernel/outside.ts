// How the server reaches addresses that callers named. The host does it, because guarding such a request takes sockets:
// the host judges an address after resolving it, and connects to that very address.

/** Marks all that an installation sends by itself, so that it does not answer itself for ever. */
export const SENT_BY_US = { 'user-agent': 'Assay', 'assay-hop': '1' } as const

export interface OutsideRequest {
  /** http or https. */
  url: string
  /** The account whose share of the host's common resources, such as name look-ups, is used; null if unknown. */
  account_id: string | null
  headers: Record<string, string>
  /** A text, or a file too long to be held in memory. */
  body: string | OutsideFile
  signal: AbortSignal
}

/** Reading it may fail: then the request is broken off, so that no receiver takes a part for the whole. */
export interface OutsideFile {
  bytes: number
  read(): AsyncIterable<Uint8Array>
}

/**
 * POSTs and returns the response's status. The rest of the response is read up to a limit and dropped; redirects are
 * not followed.
 *
 * @throws Error that says in words why there is no response: the address is not public, nothing listens, time is up
 */
export type Post = (request: OutsideRequest) => Promise<{ status: number }>

export interface OutsideAnswer {
  status: number
  /** Undefined where the answer has no such header. */
  header(name: string): string | undefined
  /** Whether a cut connection can be distinguished from the end: the response states its length, or comes in chunks. */
  framed: boolean
  /** The bytes as sent, not decompressed. Fails with the signal's reason, or in words when the connection is cut. */
  body: AsyncIterable<Uint8Array>
}

/** GETs like Post; redirects are not followed. The body must be read, or the signal aborted. @throws like Post */
export type Get = (request: Omit<OutsideRequest, 'body'>) => Promise<OutsideAnswer>

export interface Mail {
  to: string
  subject: string
  text: string
  /** The same content for mail programs that show HTML. */
  html?: string | undefined
}

/** @throws Error that says in words why the mail was not accepted */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<void>
