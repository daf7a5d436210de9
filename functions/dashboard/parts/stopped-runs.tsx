// Names the runs that were stopped and of which items are left that are in no triage, with the page that runs all of
// them again.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { isStoppedShort, sayStoppedShort } from '../../../shared/view/left-over.ts'
import { ofProject, ofRun } from '../shell/addresses.ts'

type Run = Schemas['Run']

const SHOWN = 3

/** One that a person cancelled was meant to end. */
export const stoppedShort = (runs: readonly Run[]): Run[] =>
  runs.filter(run => isStoppedShort(run) && run.stop_reason !== 'cancelled').slice(0, SHOWN)

export const StoppedShort = ({ run, mayAct }: { run: Run; mayAct: boolean }) => (
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
