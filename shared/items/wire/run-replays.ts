// The fields of a run that say what came of replaying its items since it ended.

import { count, id } from '../../kernel/answer-fields.ts'

/** Left out where a run is reported as it ended. */
export interface ReplaysRow {
  /** Items that replays have made ok. */
  recovered?: number
  /** Replays that have ended, each counted. */
  replays?: number
  replay_run_id?: string | null
}

export const replayFields = {
  recovered_count: count(
    'Items that did not end ok and that a replay of them, or of their replays, has made ok since. The other counts stay as the run ended.',
  ),
  replay_count: count('Replays of its items, and of their replays, that have ended since; each is counted.'),
  replay_run_id: id('The newest run that replays items of it; null if there is none.').nullable(),
}

export const replaysOf = ({ recovered = 0, replays = 0, replay_run_id = null }: ReplaysRow) => ({
  recovered_count: recovered,
  replay_count: replays,
  replay_run_id,
})
