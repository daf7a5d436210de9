// The actions that an item accepts, each with a statement of what it will do.

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

export const ItemActions = ({ item, role }: { item: Item; role: MemberRole }) => {
  const { available_actions: can, id } = item
  if (role === 'viewer' || can.length === 0) return ''
  const at = (action: string) => ofItem(id, action)
  return (
    <section class="choices" aria-label="What you can do" id="actions" data-live>
      {can.includes('replay') && (
        <form method="post" action={at('replay')}>
          <button class="primary" data-key="r">
            {item.cost_usd > 0 ? `Replay (about ${money(item.cost_usd)})` : 'Replay'}
          </button>
          <p class="dim">
            A new item runs beside this one, with the code of now. An answer that was at fault is asked for
            again, what came before it is not; the verdict here stays.{' '}
            <a href={at('replay')}>Replay with another input, code or budget…</a>
          </p>
        </form>
      )}
      {can.includes('resume') && (
        <form method="post" action={at('resume')}>
          <button class="primary" data-key="r">
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
        <form method="post" action={at('acknowledge')}>
          <button data-key="a">Acknowledge</button>
          <p class="dim">It is hidden from triage; the run stays partial.</p>
        </form>
      )}
      {can.includes('dismiss') && item.status === 'paused' && (
        <Sure
          label="Dismiss"
          consequence="It ends as cancelled. This cannot be taken back."
          action={at('dismiss')}
        />
      )}
      {can.includes('dismiss') && item.status !== 'paused' && (
        <form method="post" action={at('dismiss')}>
          <button data-key="d">Dismiss</button>
          <p class="dim">Nothing more is done about it, and its run counts it as decided.</p>
        </form>
      )}
      {can.includes('confirm') && (
        <form method="post" action={at('confirm')}>
          <button data-key="c">It is a refusal</button>
          <p class="dim">Results say that it did not work, and it can be replayed; the verdict here stays.</p>
        </form>
      )}
      {can.includes('wrong') && <CallWrong item={item} />}
      {can.includes('reopen') && (
        <form method="post" action={at('reopen')}>
          <button data-key="u">{UNDO[item.disposition as keyof typeof UNDO]}</button>
          <p class="dim">
            It waits for a decision again. Possible for {LIMITS.reopen_minutes} minutes after the decision.
          </p>
        </form>
      )}
    </section>
  )
}
