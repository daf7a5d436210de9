// What outlasts a key that was revoked, or a member who was removed or may do less: the offer to take it back, and the
// page that lists what stays.

import * as z from 'zod'
import {
  type Left,
  leftBehind,
  type Made,
  type Maker,
  nameOfMade,
  STAYS,
  sayRevoked,
} from '../../../shared/view/made.ts'
import { ofAgent, ofProject, ofRecovery, ofRun, ofSchedule, ofTrigger, ROOT } from '../shell/addresses.ts'
import type { View } from '../shell/page.ts'

const ticked = z.literal('true').optional()
export const REVOKED_TOO = { revoke_keys: ticked, revoke_triggers: ticked }

const KEYS: Record<Maker, string> = {
  key: 'also the keys made with this key',
  member: 'also the keys that this member made',
}

export const RevokeToo = ({ of }: { of: Maker }) => (
  <>
    <label class="inline">
      <input type="checkbox" name="revoke_keys" value="true" checked={of === 'member'} /> {KEYS[of]}
    </label>
    <label class="inline">
      <input type="checkbox" name="revoke_triggers" value="true" /> also the triggers whose secret is known:
      their addresses end
    </label>
  </>
)

/** The page that takes it back. */
const PLACES: Record<Made['kind'], (one: Made, project_id: string) => string> = {
  key: (_, project_id) => ofProject(project_id, 'keys'),
  trigger: ({ id }) => ofTrigger(id),
  signing_secret: (_, project_id) => ofProject(project_id, 'settings'),
  member: () => `${ROOT}/members`,
  deployment: (_, project_id) => ofProject(project_id, 'agents'),
  schedule: ({ id }) => ofSchedule(id),
  alert_channel: (_, project_id) => ofProject(project_id, 'alerts'),
  agent: ({ id }) => ofAgent(id),
  recovery: ({ id }) => ofRecovery(id),
  run: ({ id }) => ofRun(id),
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const Rows = ({ title, rows }: { title: string; rows: readonly Made[] }) =>
  rows.length > 0 && (
    <>
      <h2>{title}</h2>
      <ul>
        {rows.map(one => (
          <li>
            <a href={PLACES[one.kind](one, one.project_id ?? '')}>{nameOfMade(one)}</a>
          </li>
        ))}
      </ul>
    </>
  )

/** Back to the list where nothing stays; else the page that says what does. */
export function takenBack(
  said: string,
  left: Left,
  { to, of, ...around }: { to: string; of: Maker; menu: string; project_id?: string },
): View | { to: string; said: string } {
  const { revoked, credentials, others } = leftBehind(left)
  const whole = revoked === 0 ? said : `${said} ${sayRevoked(revoked, of)}.`
  if (credentials.length + others.length === 0) return { to, said: whole }
  return {
    title: 'What stays',
    ...around,
    body: (
      <>
        <h1>What stays</h1>
        <p>{whole}</p>
        <Rows title={capital(STAYS.credentials)} rows={credentials} />
        <Rows title={capital(STAYS.others)} rows={others} />
        <p>
          <a class="button" href={to}>
            Done
          </a>
        </p>
      </>
    ),
  }
}
