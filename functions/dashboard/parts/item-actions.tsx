// The actions that an item accepts, each with a statement of what it will do.

import type { Child } from 'hono/jsx'
import type { MemberRole } from '../../../shared/accounts/vocabulary.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { ofItem } from '../shell/addresses.ts'
import { Sure } from './form.tsx'
import type { Item } from './record.ts'
import { money } from './text.tsx'

const UNDO = {
  acknowledged: 'Undo acknowledging',
  dismissed: 'Undo dismissing',
  wrong: 'Undo calling it wrong',
  confirmed: 'Undo confirming',
} as const

/** The button that calls the verdict wrong, a correction wrong, or a suspected refusal no refusal. */
const CallWrong = ({ item }: { item: Item }) => {
  const isOk = item.outcome_status === 'ok'
  const [of, label, effect] = item.available_actions.includes('confirm')
    ? ['question', 'It is no refusal', 'It leaves triage; the verdict stays ok.']
    : isOk && item.corrected_outcome_status === null
      ? [
          'verdict',
          'The verdict is wrong: it did not work',
          'It comes into triage, and results say that it did not work; the verdict here and its run stay.',
        ]
      : [
          isOk ? 'correction' : 'verdict',
          isOk ? 'It worked after all' : 'The verdict is wrong: it worked',
          'It leaves triage, and results say that it worked; the verdict here stays.',
        ]
  return (
    <form method="post" action={ofItem(item.id, 'wrong')}>
      <input type="hidden" name="of" value={of} />
      <button data-key="w">{label}</button>
      <p class="dim">{effect}</p>
    </form>
  )
}

interface ActProps {
  action: string
  letter: string
  label: string
  children: Child
}

/** A button for an action, its key, and what it does. */
const Act = ({ action, letter, label, children }: ActProps) => (
  <form method="post" action={action}>
    <button data-key={letter}>{label}</button>
    <p class="dim">{children}</p>
  </form>
)

interface ItemActionsProps {
  item: Item
  role: MemberRole
  /** What to expect of a replay that changes nothing; undefined where it may work. */
  expected: string | undefined
}

export const ItemActions = ({ item, role, expected }: ItemActionsProps) => {
  const { available_actions: can, id } = item
  if (role === 'viewer' || can.length === 0) return ''
  const at = (action: string) => ofItem(id, action)
  return (
    <section class="choices" aria-label="What you can do" id="actions" data-live>
      {can.includes('replay') && (
        <form method="post" action={at('replay')}>
          <button class={expected === undefined ? 'primary' : undefined} data-key="r" data-asks>
            {item.cost_usd > 0 ? `Replay (about ${money(item.cost_usd)})` : 'Replay'}
          </button>
          {expected && <div class="v-degraded">A replay as it is {expected}.</div>}
          <p class="dim">
            A new item runs beside this one, with the code of now. An answer that was at fault is asked for
            again, what came before it is not; the verdict here stays.{' '}
            <a href={at('replay')}>Replay with another input, code or budget…</a>
          </p>
        </form>
      )}
      {can.includes('resume') && (
        <form method="post" action={at('resume')}>
          <button class="primary" data-key="r" data-asks>
            Resume
          </button>
          <p class="dim">
            It goes on after its last step.
            {item.outcome_reason === 'budget_exceeded' && (
              <label class="inline">
                Dollars more <input name="dollars" inputmode="decimal" size={6} placeholder="as declared" />
              </label>
            )}
          </p>
        </form>
      )}
      {can.includes('acknowledge') && (
        <Act action={at('acknowledge')} letter="a" label="Acknowledge">
          It is hidden from triage; the run stays partial.
        </Act>
      )}
      {can.includes('dismiss') && item.status === 'paused' && (
        <Sure
          label="Dismiss"
          consequence="It ends as cancelled. This cannot be taken back."
          action={at('dismiss')}
        />
      )}
      {can.includes('dismiss') && item.status !== 'paused' && (
        <Act action={at('dismiss')} letter="d" label="Dismiss">
          Nothing more is done about it, and its run counts it as decided.
        </Act>
      )}
      {can.includes('confirm') && (
        <Act action={at('confirm')} letter="c" label="It is a refusal">
          Results say that it did not work, and it can be replayed; the verdict here stays.
        </Act>
      )}
      {can.includes('wrong') && <CallWrong item={item} />}
      {can.includes('reopen') && (
        <Act action={at('reopen')} letter="z" label={UNDO[item.disposition as keyof typeof UNDO]}>
          It waits for a decision again. Possible for {LIMITS.reopen_minutes} minutes after the decision.
        </Act>
      )}
    </section>
  )
}
