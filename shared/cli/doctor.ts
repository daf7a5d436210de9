// A check-up of any installation, and of the way to it. Guarantee: it changes nothing; a check that cannot be made says
// why and is no failure; every problem comes with its remedy.

import { findAccess, serverOf } from './access.ts'
import { asFailure } from './api.ts'
import { installationFindings, keyFinding, serverFindings } from './doctor-installation.ts'
import { sharedCredentialsOf, upstreamsOf } from './doctor-upstreams.ts'
import { bodyLimitOf, pagesOf, streamsOf } from './doctor-way.ts'
import { countersOf, deliveriesOf, openRunsOf, schedulesOf } from './doctor-work.ts'
import { EXIT, type ExitCode, type Failure } from './failure.ts'
import { type Finding, wrong } from './finding.ts'
import { pad, plural, wrap } from './format.ts'
import { readMetrics } from './metrics.ts'
import type { Screen, Style } from './output.ts'
import { servedSchemasOf } from './served-schemas.ts'
import type { Session } from './session.ts'

export async function doctor(session: Session): Promise<ExitCode> {
  const { output, env, folder, now } = session
  session.retrying.stop()
  const base_url = serverOf(env, folder)
  const findings: Finding[] = []
  const report = (...some: readonly Finding[]) => {
    for (const finding of some) {
      findings.push(finding)
      output.emit('finding', printable(finding), screen => findingText(finding, screen))
    }
  }
  const server = await serverFindings(base_url, now)
  report(...server)
  if (server[0]!.state === 'ok') {
    report(await bodyLimitOf(base_url), await pagesOf(base_url))
    report(...(await keyedFindings(session)))
    report(...(await sharedCredentialsOf(session)))
    report(...installationFindings(await readMetrics(env, folder), now()))
  }
  const wrongs = findings.filter(finding => finding.state === 'wrong').length
  output.emit('checked', { checks: findings.length, wrong: wrongs }, ({ paint }) =>
    wrongs === 0
      ? paint('green', `nothing is wrong, as far as ${plural(findings.length, 'check')} can see`)
      : paint('red', `${plural(wrongs, 'thing')} wrong`),
  )
  return wrongs === 0 ? EXIT.ok : EXIT.bug
}

/** Findings that need a key or a signed-in member. */
async function keyedFindings(session: Session): Promise<Finding[]> {
  const lacking = lackOf(session)
  if (lacking !== undefined)
    return [wrong('key', lacking.message, lacking.hint ?? 'set ASSAY_API_KEY to a key of this server')]
  const { api, now } = session
  const key = await keyFinding(api, keyAtHand(session))
  if (key.state !== 'ok') return [key]
  const work = [streamsOf(api, now), openRunsOf(session), deliveriesOf(session), schedulesOf(session)]
  const upstreams = upstreamsOf(session)
  return [key, ...(await Promise.all([...work, countersOf(api), servedSchemasOf(api)])), ...(await upstreams)]
}

/** The API key; undefined if a member is signed in instead. */
function keyAtHand({ env, folder }: Session): string | undefined {
  try {
    return findAccess(env, folder).api_key
  } catch {
    return undefined
  }
}

/** Why no request that needs a key can be sent; undefined if it can. */
function lackOf(session: Session): Failure | undefined {
  try {
    void session.api
    return undefined
  } catch (error) {
    const failure = asFailure(error)
    if (failure === undefined) throw error
    return failure
  }
}

/** A finding as `--json` prints it, which names the fix `mend`. */
const printable = ({ fix, ...finding }: Finding) => (fix === undefined ? finding : { ...finding, mend: fix })

const MARKS: Record<Finding['state'], [mark: string, style: Style]> = {
  ok: ['ok', 'green'],
  wrong: ['WRONG', 'red'],
  unknown: ['?', 'yellow'],
}
const INDENT = ' '.repeat(19)

export function findingText(
  { check, state, found, fix }: Finding,
  { paint, columns, program }: Screen,
): string {
  const [mark, style] = MARKS[state]
  const lines = wrap(found, columns - INDENT.length)
  const more =
    fix === undefined ? [] : wrap(fix.replaceAll(/\bassay\b(?= [a-z])/g, program), columns - INDENT.length)
  return [
    `${paint(style, pad(mark, 6))} ${pad(check, 11)} ${lines[0]}`,
    ...lines.slice(1).map(line => INDENT + line),
    ...more.map(line => INDENT + paint('cyan', line)),
  ].join('\n')
}
