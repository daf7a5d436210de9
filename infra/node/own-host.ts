// Recognizes requests that a browser was led to by another name. Guarantee: a server that listens on loopback answers to
// loopback's names and to the one of BASE_URL alone, so that a page whose name was rebound to this machine reads nothing.

import { ApiError } from '../../shared/kernel/errors.ts'

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|.*\.localhost|\[::1\])$/

export interface Own {
  /** What the server listens on. */
  host: string
  base_url: string
  /** Whether an operator named proxies: what these pass on as the host is their matter. */
  hasProxies: boolean
}

/** Undefined where the request may be answered. */
export function foreignHost(url: string, { host, base_url, hasProxies }: Own): ApiError | undefined {
  if (hasProxies || !(LOOPBACK.test(host) || host === '::1')) return undefined
  if (!URL.canParse(url))
    return new ApiError(
      'invalid_request',
      'The Host header is no host.',
      'Send the host of the URL that you ask.',
    )
  const { hostname } = new URL(url)
  if (LOOPBACK.test(hostname) || (URL.canParse(base_url) && new URL(base_url).hostname === hostname))
    return undefined
  return new ApiError(
    'forbidden',
    `This server listens on this machine alone, and was asked by the name ${hostname}.`,
    'Ask http://127.0.0.1 or http://localhost; behind a proxy start it with BASE_URL set to the address that people use.',
  )
}
