// A warning beside the replay of what would fail again as it is.

import { failsAgain } from '../../../shared/triage/rules/outcome-meanings.ts'

export const FailsAgain = ({ of }: { of: Parameters<typeof failsAgain>[0] }) => {
  const why = failsAgain(of)
  return why === undefined ? '' : <div class="v-degraded">A replay as it is fails again: {why}.</div>
}
