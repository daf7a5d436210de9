// The deploy of an agent in Python, which its own server serves. Guarantee: what is printed or deployed is what the file
// declares now; the process that was started to read it is ended.

import { basename } from 'node:path'
import type { AgentDeclaration } from '../protocol/rules/protocol.ts'
import { usageFailure } from './failure.ts'
import { clean } from './format.ts'
import type { Screen } from './output.ts'
import { declarationAt, servePython } from './python-agent.ts'
import type { Session } from './session.ts'

/** What an agent's file declares, read from a process of its own. @throws Failure `usage` if it cannot be served */
export async function declaredIn(session: Session, file: string): Promise<AgentDeclaration> {
  await using served = await servePython(session, file)
  return await declarationAt(served.url)
}

/** Prints how the agent of a file is served and deployed. */
export async function printServing(session: Session, file: string): Promise<void> {
  const declaration = await declaredIn(session, file)
  session.output.emit('served_elsewhere', { file, declaration }, screen => textOf(file, declaration, screen))
}

/** @throws Failure `usage` if the agent behind the URL is another one */
export async function checkSame(session: Session, file: string, url: string): Promise<void> {
  const [own, served] = [await declaredIn(session, file), await declarationAt(url)]
  if (JSON.stringify(own) === JSON.stringify(served)) return
  const what =
    own.name === served.name
      ? `what answers at ${url} declares ${clean(served.name)} in other words than ${basename(file)}`
      : `what answers at ${url} is the agent ${clean(served.name)}, and ${basename(file)} has ${clean(own.name)}`
  throw usageFailure(what, { hint: 'start its server again with this file; nothing was deployed' })
}

function textOf(file: string, declared: AgentDeclaration, { paint, program }: Screen): string {
  const { name, input_schema, output_schema, retries, network, schedules = [], triggers = [] } = declared
  const facts = [
    input_schema && 'input schema',
    output_schema && 'output schema',
    retries && `${retries} retries`,
    network && `network ${network.join(', ')}`,
    schedules.length > 0 && `${schedules.length} schedules`,
    triggers.length > 0 && `${triggers.length} triggers`,
  ].filter(Boolean)
  return [
    `${paint('bold', clean(name))}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`,
    'An agent in Python runs where you serve it: on this machine, in a container, as a function.',
    `${paint('dim', 'serve ')}  python3 -m assay serve ${file} --port 8097`,
    `${paint('dim', 'deploy')}  ${program} deploy ${file} --url http://127.0.0.1:8097`,
  ].join('\n')
}
