// Compares the schemas that the code behind an agent's URL declares with those that were deployed: Assay checks by
// these, the code by its own. Guarantee: only reads; code that does not answer soon from here is not judged.

import { isDeepStrictEqual } from 'node:util'
import { type Agent, type Api, answered, type Schemas } from './api.ts'
import { type Finding, ok, tried, unknown, wrong } from './finding.ts'
import { count, plural } from './format.ts'
import type { Session } from './session.ts'
import { findVersion } from './versions.ts'

const ASK_MS = 1500
const SCHEMAS = ['input_schema', 'output_schema'] as const
/** Agents that a check-up asks. */
const AGENTS_ASKED = 20

type Served = Pick<Schemas['Deployment'], 'kind' | 'protocol' | 'url' | 'declaration' | 'version'>

/** The schemas in which the code behind the URL differs from its deployment; undefined if it does not say any. */
async function differing({ kind, protocol, url, declaration }: Served) {
  if (kind !== 'url' || protocol !== 'ndjson' || url === null) return undefined
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(ASK_MS),
    })
    const served = ((await response.json()) as { declaration?: Served['declaration'] }).declaration
    if (typeof served?.name !== 'string') return undefined
    return SCHEMAS.filter(name => !isDeepStrictEqual(served[name], declaration[name]))
  } catch {
    return undefined
  }
}

const described = ({ url, version }: Served, slug: string, names: readonly string[]) =>
  `what answers at ${url} declares another ${names.join(' and ')} than version ${version} of ${slug}, by which items are checked`

/** Notes that the agent's code declares other schemas than its deployment, before a run of it begins. */
export async function noteOtherSchemas({ api, output }: Session, agent: Pick<Agent, 'id' | 'slug'>) {
  const found = await tried(() => findVersion(api, agent, version => version.is_current))
  const current = found !== undefined && 'refused' in found ? undefined : found // a note stops no submission
  const names = current === undefined ? undefined : await differing(current)
  if (current === undefined || names === undefined || names.length === 0) return
  output.note(`${described(current, agent.slug, names)}; assay deploy --url ${current.url} deploys it`)
}

/** The same of all agents, for a check-up. */
export async function servedSchemasOf(api: Api): Promise<Finding> {
  const check = 'agents'
  const agents = await tried(() => answered(api.GET('/v1/agents')))
  if ('refused' in agents) return unknown(check, agents.refused)
  const asked = agents.filter(one => one.current_deployment_id !== null).slice(0, AGENTS_ASKED)
  const found = await tried(() => Promise.all(asked.map(agent => servedBy(api, agent))))
  if ('refused' in found) return unknown(check, found.refused)
  const other = found.find(one => one.names !== undefined && one.names.length > 0)
  if (other !== undefined)
    return wrong(
      check,
      described(other.current!, other.slug, other.names!),
      `assay deploy --url ${other.current!.url}`,
    )
  const answering = found.filter(one => one.names !== undefined).length
  return ok(
    check,
    `${count(agents.length)}; ${plural(answering, 'URL')} asked, none declares other schemas than were deployed`,
  )
}

async function servedBy(api: Api, agent: Agent) {
  const current = await findVersion(api, agent, version => version.is_current)
  return { slug: agent.slug, current, names: current && (await differing(current)) }
}
