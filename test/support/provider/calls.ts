// Reads a call: whose key, which item, which interface, and what it uses of the limits.

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { useBefore } from './cost.ts'
import type { Use } from './limits.ts'
import type { Cost } from './settings.ts'

export type Interface = 'chat' | 'messages' | 'generate' | 'converse' | 'invoke'

export interface Call {
  item: string
  interface: Interface
  model: string
  isStream: boolean
  /** An estimate, as providers make it before a model has read the request: four letters make a token. */
  use: (cost: Cost) => Use
}

/** Each provider has a header of its own; a signed request names its access key. */
export function keyOf({ headers, url }: IncomingMessage): string {
  const { authorization } = headers
  const signed = /Credential=([^/,\s]+)/.exec(authorization ?? '')?.[1]
  const bearer = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
  const own = headers['x-api-key'] ?? headers['api-key'] ?? headers['x-goog-api-key']
  const inUrl = new URL(url ?? '/', 'http://double').searchParams.get('key')
  return signed ?? bearer ?? own?.toString() ?? inUrl ?? ''
}

const ENDS: [RegExp, Interface][] = [
  [/\/chat\/completions$/, 'chat'],
  [/\/messages$/, 'messages'],
  [/:(stream)?generateContent$/i, 'generate'],
  [/\/model\/[^/]+\/converse(-stream)?$/, 'converse'],
  [/\/model\/[^/]+\/invoke$/, 'invoke'],
]

interface Body {
  model?: string
  stream?: boolean
  max_tokens?: number
  max_completion_tokens?: number
  generationConfig?: { maxOutputTokens?: number }
  inferenceConfig?: { maxTokens?: number }
}

/** @returns null if no provider has such a path */
export function readCall(request: IncomingMessage, text: string): Call | null {
  const { pathname } = new URL(request.url ?? '/', 'http://double')
  const found = ENDS.find(([end]) => end.test(pathname))?.[1]
  if (found === undefined) return null
  const body = readBody(text)
  const most =
    body.max_completion_tokens ??
    body.max_tokens ??
    body.generationConfig?.maxOutputTokens ??
    body.inferenceConfig?.maxTokens ??
    0
  return {
    item: request.headers['x-item']?.toString() ?? itemIn(text),
    interface: found,
    model: body.model ?? /\/(?:models?|deployments)\/([^/:]+)/.exec(pathname)?.[1] ?? 'model',
    isStream: body.stream === true || pathname.endsWith(':streamGenerateContent'),
    use: cost => useBefore(cost, Math.ceil(text.length / 4), most),
  }
}

function readBody(text: string): Body {
  try {
    return JSON.parse(text) as Body
  } catch {
    return {}
  }
}

/** A prompt names its item as item-17; one that names none is its own name. */
const itemIn = (text: string) =>
  /\bitem-[\w-]+/.exec(text)?.[0] ?? createHash('sha1').update(text).digest('base64url').slice(0, 12)
