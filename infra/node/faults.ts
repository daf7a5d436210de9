// Arms the fault points named in ASSAY_FAULTS, for tests that break a process at an exact line:
// `settle.before_commit=kill@3` kills the process with SIGKILL the third time it gets there; `=stop` sends SIGSTOP.

import { FAULT_POINTS, type FaultPoint, onFault } from '../../shared/kernel/fault.ts'

const SIGNALS = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const

export function armFaults(plan: string | undefined): void {
  if (!plan) return
  const armed = new Map(plan.split(',').map(parseFault))
  onFault(name => {
    const fault = armed.get(name)
    if (fault && --fault.countdown === 0) process.kill(process.pid, fault.signal)
  })
}

function parseFault(text: string): [FaultPoint, { signal: 'SIGKILL' | 'SIGSTOP'; countdown: number }] {
  const [, name, action, nth] = /^([\w.]+)=(kill|stop)(?:@(\d+))?$/.exec(text) ?? []
  if (!FAULT_POINTS.includes(name as FaultPoint))
    throw new Error(
      `ASSAY_FAULTS: "${text}" is not POINT=kill|stop[@N] with a point of ${FAULT_POINTS.join(', ')}`,
    )
  return [name as FaultPoint, { signal: SIGNALS[action as 'kill' | 'stop'], countdown: Number(nth ?? 1) }]
}
