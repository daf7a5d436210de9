// How the engine calls an agent: by one function that the host supplies, over whatever HTTP client it has.

import type { DeployedDeclaration } from '../../grading/rules/grading.ts'
import type { AgentProtocol, DeploymentKind } from '../vocabulary.ts'

/** The deployment a request goes to. */
export interface AgentTarget {
  /** The account whose share of the host's connections, look-ups and processes is used; null if the project is gone. */
  account_id: string | null
  agent_id: string
  deployment_id: string
  kind: DeploymentKind
  protocol: AgentProtocol
  /** Set for kind `url`. */
  url: string | null
  /** Set for kind `bundle`. */
  bundle_hash: string | null
  declaration: DeployedDeclaration
  env: Record<string, string>
  /**
   * One of the request's items may have ended the last process it ran in: give them one to themselves. As in `due_items`;
   * null for the process that the deployment's items share.
   */
  together: number | null
  /** The request calls a generator: if its process dies, no item may be blamed. */
  generates?: true
}

export interface AgentRequest {
  headers: Record<string, string>
  body: string
  signal: AbortSignal
  /** Called when the request is sent: what it waited for before, such as a process, is not its items' time. */
  onSent?: () => void
  /** How many of its items have not ended; one where it is absent. */
  itemsOpen?: () => number
}

export interface AgentResponse {
  status: number
  contentType: string
  /** A header by its lower-case name; absent where no more than the above is passed on. */
  header?: (name: string) => string | null
  body: AsyncIterable<Uint8Array>
}

/**
 * Sends one request to an agent and resolves with the head of its response.
 *
 * Rejects, or fails while the body is read, with `AgentProcessDied` when the agent's process is known to have
 * ended, with `NotSent` when it waited for a connection in vain, with `NotReached` when there was nobody to connect to,
 * and with any other error for transport faults.
 */
export type InvokeAgent = (target: AgentTarget, request: AgentRequest) => Promise<AgentResponse>

/** The request was given up before anything of it was sent. */
export class NotSent extends Error {}

/** No connection to the agent could be made. */
export class NotReached extends Error {}

/** Its host goes on with answers 1xx, which say nothing, instead of one that ends. */
export class EndlessInterim extends Error {}

/** The agent's process ended under the request; every item in it is a suspect. */
export class AgentProcessDied extends Error {
  readonly code: 'agent_crashed' | 'agent_unresponsive'
  /** How many items were open in the process, of this request and of others. */
  readonly items: number
  constructor(code: 'agent_crashed' | 'agent_unresponsive', message: string, items = 1) {
    super(message)
    this.name = 'AgentProcessDied'
    this.code = code
    this.items = items
  }
}
