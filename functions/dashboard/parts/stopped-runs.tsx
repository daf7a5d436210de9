// Names the runs that were stopped and of which items are left that are in no triage, with the page that runs all of
// them again.

import type { Child } from 'hono/jsx'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { isStoppedShort, sayStoppedShort } from '../../../shared/view/left-over.ts'
import { ofProject, ofRun } from '../shell/addresses.ts'
import { count, counted } from './text.tsx'

type Run = Schemas['Run']

const SHOWN = 3

/** Those among these runs; one that a person cancelled was meant to end. */
export const stoppedShort = (runs: readonly Run[]): Run[] =>
  runs.filter(run => isStoppedShort(run) && run.stop_reason !== 'cancelled')

/** A line for each; from the fourth on they unfold. */
export const stoppedLines = (runs: readonly Run[], mayAct: boolean): Child[] => {
  const [first, more] = [runs.slice(0, SHOWN), runs.slice(SHOWN)]
  const line = (run: Run) => <StoppedShort run={run} mayAct={mayAct} />
  if (more.length === 0) return first.map(line)
  const rest = (
    <details id="stopped-runs">
      <summary>
        {count(SHOWN)} of {counted(runs.length, 'run')} that were stopped. Show the others
      </summary>
      <ul>
        {more.map(run => (
          <li>{line(run)}</li>
        ))}
      </ul>
    </details>
  )
  return [...first.map(line), rest]
}

const StoppedShort = ({ run, mayAct }: { run: Run; mayAct: boolean }) => (
  <>
    <a href={ofRun(run.id)}>{sayStoppedShort(run)}</a>
    {mayAct && (
      <>
        {' · '}
        <a href={ofProject(run.project_id, `recover?run_id=${run.id}&status=not_ok`)}>Replay all of these…</a>
      </>
    )}
  </>
)
