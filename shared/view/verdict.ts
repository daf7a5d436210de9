// Words for verdicts that people judge, shared by dashboard and command line.

import { count } from '../prices/rules/amounts.ts'
import type { Schemas } from '../sdk/client.ts'
import type { WrongOf } from '../triage/vocabulary.ts'

type Judged = Pick<Schemas['JudgedReason'], 'agent_id' | 'reason' | 'judged' | 'wrong' | 'often_wrong'>

/** @example sayWrong({ wrong: 8, judged: 25 }) // 'called wrong in 8 of 25 judged' */
export const sayWrong = ({ wrong, judged }: Pick<Judged, 'wrong' | 'judged'>): string =>
  `called wrong in ${count(wrong)} of ${count(judged)} judged`

export type Doubt = (of: Pick<Judged, 'agent_id' | 'reason'>) => string | undefined

/** The warning for an agent's reason that is often wrong, wherever it is shown; undefined for other reasons. */
export function doubtOf(rows: readonly Judged[]): Doubt {
  const doubted = rows.filter(row => row.often_wrong)
  return ({ agent_id, reason }) => {
    const found = doubted.find(row => row.agent_id === agent_id && row.reason === reason)
    return found && sayWrong(found)
  }
}

/** What is called wrong when somebody calls an item in triage wrong. */
export const saidInTriage = ({ kind, question }: Pick<Schemas['TriageRow'], 'kind' | 'question'>): WrongOf =>
  kind !== 'review' ? 'verdict' : question === null ? 'correction' : 'question'
