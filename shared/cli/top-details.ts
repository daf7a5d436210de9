// The details of the selected run in the live view: its results so far, items that did not work, and next commands.

import type { Run, RunItem } from './api.ts'
import { clean, shorten } from './format.ts'
import type { Screen } from './output.ts'
import { itemsTable, runSummary } from './run-view.ts'

export function detailLines(run: Run, bad: readonly RunItem[], screen: Screen): string[] {
  const { paint, program, columns } = screen
  const table =
    bad.length === 0 ? [] : ['', paint('bold', 'did not work'), ...itemsTable([...bad], screen).split('\n')]
  const commands = [`watch ${run.id}`, `items ${run.id} --outcome not_ok`, `triage --run ${run.id}`]
  return [
    ...runSummary(run, screen).split('\n'),
    `${paint('dim', 'agent   ')}${clean(run.agent_slug)}, version ${run.deployment_version ?? 'none yet'}`,
    '',
    ...commands.map(command => paint('cyan', shorten(`${program} ${command}`, columns))),
    ...table,
  ]
}
