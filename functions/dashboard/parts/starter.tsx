// Who or what started a run.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { sayStarter } from '../../../shared/view/start.ts'
import { ofSchedule, ofTrigger } from '../shell/addresses.ts'

/** A schedule or trigger is linked to its page. */
export const Starter = ({ of }: { of: Pick<Schemas['Run'], 'started_by'> }) => {
  const { started_by } = of
  if (started_by === null) return <span class="dim">—</span>
  const { kind, id } = started_by
  const words = <bdi>{sayStarter(started_by)}</bdi>
  if (kind === 'schedule' && id !== null) return <a href={ofSchedule(id)}>{words}</a>
  return kind === 'trigger' && id !== null ? <a href={ofTrigger(id)}>{words}</a> : words
}
