// Where an agent under test is served: in this process, or, with `assay test --sandbox`, in the runtime of batches.

import { type AgentClass, declarationOf } from '../sdk/agent.ts'
import { serve } from '../sdk/serve.ts'
import { fileOf } from './decorators.ts'
import { type Answering, passing } from './network.ts'

/** An agent that takes requests of the protocol. */
export interface ServedAgent {
  handle(request: Request): Promise<Response>
  /** Gives it back. */
  [Symbol.dispose](): void
}

/**
 * Serves the agent that a file exports by default. Its calls to declared hosts are answered by `answer`, and `send` is
 * the real fetch.
 */
export type ServeElsewhere = (
  agent: { file: string; name: string; network: readonly string[] | undefined },
  answer: (request: Request) => Promise<Response>,
) => Promise<ServedAgent>

let elsewhere: ServeElsewhere | undefined

/** Agents of all later tests of this process are served by it. */
export function serveElsewhere(how: ServeElsewhere): void {
  elsewhere = how
}

/** @throws Error where the agent is to be served elsewhere, and no file exports it by default */
export async function served(target: AgentClass, answer: Answering): Promise<ServedAgent> {
  if (elsewhere === undefined) {
    const handle = serve(target)
    // An ASSAY_AGENT_KEY in the tester's own environment must not apply to this agent.
    return { handle: request => handle(request, { ASSAY_AGENT_KEY: '' }), [Symbol.dispose]() {} }
  }
  const { name, network } = declarationOf(target)
  const file = await fileOf(target)
  if (file === undefined)
    throw new Error(
      `agent ${name} cannot be run in the sandbox: it is bundled from its file, which has to export it by default`,
    )
  return elsewhere({ file, name, network }, request => answer(request, passing))
}
