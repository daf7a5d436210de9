// Warns at a deploy of an agent whose model calls nobody will know, unless it reports them.

import type { CallsSeen } from '../../prices/rules/held-budget.ts'
import type { AgentDeclaration } from '../../protocol/rules/protocol.ts'
import type { DeploymentKind, DeployWarning } from '../vocabulary.ts'

interface Deploying {
  kind: DeploymentKind
  protocol?: 'ndjson' | 'json'
  declaration: AgentDeclaration
  /** What the agent's latest runs show, of the version that is current now. */
  seen: CallsSeen
}

interface Warning {
  code: DeployWarning
  message: string
  hint: string
}

export function callWarnings({ kind, protocol, declaration, seen }: Deploying): Warning[] {
  if (declaration.model_calls === 'none' || seen === 'recorded') return []
  const isPlain = kind === 'url' && protocol === 'json'
  if (!isPlain && seen !== 'not_recorded') return []
  const message = isPlain
    ? 'A plain JSON agent says nothing of its model calls by itself: their cost is not known, their answers are not graded, and no budget is enforced.'
    : 'The latest runs recorded no model call: what they cost is not known, answers of models are not graded, and no budget is enforced.'
  const report = isPlain
    ? 'Answer with content-type application/vnd.assay+json and the calls as steps (PROTOCOL.md, Plain JSON)'
    : kind === 'url'
      ? 'Report each model call as a step of kind llm_call (PROTOCOL.md)'
      : 'Make each model call within ctx.llm'
  return [
    {
      code: 'calls_not_reported',
      message,
      hint: `${report}. If it calls no model, declare model_calls: 'none'.`,
    },
  ]
}
