// A check-up of the installation and the way to it. Guarantee: it changes nothing, a check that cannot be made says
// why and is no failure, and whatever is wrong comes with what mends it.

import { serverOf } from './access.ts'
import { answered } from './api.ts'
import { installationFindings, keyOf, storesOf } from './doctor-installation.ts'
import { countersOf, deliveriesOf, openRunsOf, schedulesOf } from './doctor-work.ts'
import { EXIT, type ExitCode } from './failure.ts'
import { type Finding, tried } from './finding.ts'
import { pad, plural, wrap } from './format.ts'
import { readMetrics } from './metrics.ts'
import type { Screen, Style } from './output.ts'
import type { Session } from './session.ts'

export async function doctor(session: Session): Promise<ExitCode> {
  const { output, api } = session
  const base_url = serverOf(session.env, session.folder)
  const findings: Finding[] = []
  const tell = (some: readonly Finding[]) => {
    for (const finding of some) {
      findings.push(finding)
      output.emit('finding', finding, screen => findingText(finding, screen))
    }
  }
  const stores = await storesOf(base_url, session.now)
  tell(stores)
  if (stores[0]!.state === 'ok') {
    const metrics = await readMetrics(session.env, session.folder)
    tell([keyOf(await tried(() => answered(api.GET('/v1/projects'))))])
    tell(installationFindings(metrics, session.now()))
    tell(
      await Promise.all([openRunsOf(session), deliveriesOf(session), schedulesOf(session), countersOf(api)]),
    )
  }
  const wrong = findings.filter(finding => finding.state === 'wrong').length
  output.emit('checked', { checks: findings.length, wrong }, ({ paint }) =>
    wrong === 0
      ? paint('green', `nothing is wrong, as far as ${plural(findings.length, 'check')} can tell`)
      : paint('red', `${plural(wrong, 'thing')} wrong`),
  )
  return wrong === 0 ? EXIT.ok : EXIT.bug
}

const MARKS: Record<Finding['state'], [mark: string, style: Style]> = {
  ok: ['ok', 'green'],
  wrong: ['WRONG', 'red'],
  unknown: ['?', 'yellow'],
}
const INDENT = ' '.repeat(19)

export function findingText(
  { check, state, found, mend }: Finding,
  { paint, columns, program }: Screen,
): string {
  const [mark, style] = MARKS[state]
  const lines = wrap(found, columns - INDENT.length)
  const more =
    mend === undefined ? [] : wrap(mend.replaceAll(/\bassay\b(?= [a-z])/g, program), columns - INDENT.length)
  return [
    `${paint(style, pad(mark, 6))} ${pad(check, 11)} ${lines[0]}`,
    ...lines.slice(1).map(line => INDENT + line),
    ...more.map(line => INDENT + paint('cyan', line)),
  ].join('\n')
}
