// Named points on the write paths where a test may stop or kill the process; nothing happens there otherwise.

export const FAULT_POINTS = [
  'submit.before_commit',
  'submit.after_commit',
  'claim.before_commit',
  'claim.after_commit',
  'invoke.before_request',
  'settle.before_commit',
  'settle.after_commit',
  'hand_over.before_commit',
  'hand_over.after_commit',
  'answer.before_settle',
  'answer.after_settle',
  'cancel.before_commit',
  'reap.before_commit',
  'deploy.before_commit',
  'replay.before_commit',
  'recovery.before_commit',
  'fire.after_lock',
  'fire.before_commit',
  'fire.after_commit',
  'alerts.before_commit',
  'source.after_claim',
  'source.before_commit',
  'deliver.after_claim',
  'deliver.after_answer',
] as const
export type FaultPoint = (typeof FAULT_POINTS)[number]

let hook: ((name: FaultPoint) => void | Promise<void>) | undefined

/** Installs what happens at fault points; infra does this when a test asks for it. */
export function onFault(handler: typeof hook): void {
  hook = handler
}

/** Marks a point where a crash must be survivable. */
export function fault(name: FaultPoint): void | Promise<void> {
  return hook?.(name)
}
