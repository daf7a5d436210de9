// Generates the page on the states of an item, from the same table that the SQL statements are made from.

import { effectOf, FIRST_STATUS, ITEM_TRANSITIONS, isFinal } from '../shared/items/rules/lifecycle.ts'
import { ITEM_STATUSES } from '../shared/items/vocabulary.ts'

export const ITEM_STATES_FILE = 'shared/items/states.md'

const signed = (change: number) => (change < 0 ? '−1' : '+1')

/** The changes a transition makes to the run's counters, such as `running −1, ok +1`. */
const counted = (event: Parameters<typeof effectOf>[0]) =>
  Object.entries(effectOf(event))
    .map(([counter, change]) => `${counter} ${signed(change)}`)
    .join(', ')

export function itemStatesPage(): string {
  const arrows = ITEM_TRANSITIONS.map(({ event, from, to }) => `  ${from} --> ${to}: ${event}`)
  const rows = ITEM_TRANSITIONS.map(transition => {
    const { event, from, to, when } = transition
    const outcome = 'outcome' in transition ? transition.outcome : ''
    const lane = 'lane' in transition ? transition.lane : ''
    return `| \`${event}\` | ${from} → ${to} | ${when} | ${outcome} | ${lane} | ${counted(event)} |`
  })
  return [
    '<!-- Made by npm run generate from shared/items/rules/lifecycle.ts. -->',
    '# The states of an item',
    '',
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${FIRST_STATUS}`,
    ...arrows,
    ...ITEM_STATUSES.filter(isFinal).map(status => `  ${status} --> [*]`),
    '```',
    '',
    'Each change of an item and of the counters of its run is one statement; `undecided` counts what waits in triage for a decision.',
    '',
    '| event | status | when | outcome | triage | counters of the run |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
