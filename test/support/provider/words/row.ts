// What a row of the table of words is.

import type { Answered, Limit, Way } from '../settings.ts'

/** What a message may name. */
export interface Facts {
  model: string
  ways: readonly Way[]
  wait_ms: number
  now: number
  /** The limit that was exceeded. */
  limit: Pick<Limit, 'of' | 'per_s'> & { amount: number; left: number; requested: number }
}

export interface Words {
  status: number
  headers?: Record<string, string>
  body: unknown
  /** The body is a page; all others are JSON. */
  isPage?: true
}

export type Row = Record<Answered, (facts: Facts) => Words>

export const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000))
export const isRequests = ({ limit }: Facts) => limit.of === 'requests'
/** A limit of a day is named so; all others are a minute's, whatever window the provider counts by. */
export const isDaily = ({ limit }: Facts) => limit.per_s >= 86_400

/** The page of what stands before OpenAI and Anthropic. */
export function cloudflarePage(status: number, title: string): Words {
  const body = `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n`
  return { status, headers: { server: 'cloudflare', 'cf-ray': '0-DOUBLE' }, body, isPage: true }
}
