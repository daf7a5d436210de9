// Reads which tools the request of a model call offers. Guarantee: a request of any shape gives a set of names.

import { fields, filled, list } from './answer.ts'

/** More are not looked at: no provider takes as many. */
const MOST_TOOLS = 1_000

/** The names of the tools that the request offers, in the format of each provider; empty if it offers none. */
export function offeredTools(input: unknown): ReadonlySet<string> {
  const request = fields(input)
  const body = fields(request?.outline) ?? request
  const offered =
    body?.tools ??
    body?.functions ??
    fields(body?.config)?.tools ??
    fields(body?.toolConfig)?.tools ??
    fields(body?.kwargs)?.tools
  // The Vercel AI SDK names its tools by keys.
  const entries = Array.isArray(offered) ? offered.slice(0, MOST_TOOLS) : []
  const keys = Array.isArray(offered) ? [] : Object.keys(fields(offered) ?? {}).slice(0, MOST_TOOLS)
  return new Set([...keys, ...entries.flatMap(namesOf)])
}

function namesOf(tool: unknown): string[] {
  const one = fields(tool)
  const declared = [...list(one?.functionDeclarations), ...list(one?.function_declarations)]
  if (declared.length > 0) return declared.slice(0, MOST_TOOLS).flatMap(namesOf)
  const inner = fields(one?.function) ?? fields(one?.toolSpec) ?? one
  return filled(inner?.name) ? [inner.name] : []
}
