// The triage rows, grouped by cause, as one form. Guarantee: the buttons of rows and of the selection work without a
// script; the script only adds counts and costs.

import type { MemberRole } from '../../../shared/accounts/vocabulary.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { shortened } from '../../../shared/kernel/text-head.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { itemErrorMeaning, reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { ROW_ACTIONS, type RowAction } from '../../../shared/triage/vocabulary.ts'
import { actionsOfCause } from '../../../shared/view/cause.ts'
import { type Doubt, saidInTriage } from '../../../shared/view/verdict.ts'
import { ofItem, ofProject, ofRun } from '../shell/addresses.ts'
import { ACTION_VERBS, actionOn } from './action-words.ts'
import { Doubted } from './causes.tsx'
import { groupsOf } from './inbox-groups.ts'
import { count, counted, Verdict, When } from './text.tsx'

type Row = Schemas['TriageRow']
type Cause = Schemas['Cause']

interface InboxProps {
  rows: readonly Row[]
  /** The known causes, with all their items counted. */
  causes: readonly Cause[]
  /** For reasons that are often wrong: how often. */
  doubt: Doubt
  /** The words for which an answer is suspected to be a refusal, by record id. */
  suspicions: ReadonlyMap<string, string>
  project_id: string
  /** The filter of the page; a group narrows it further. */
  filter: Record<string, string>
  back: string
  now: number
  role: MemberRole
}

export const Inbox = ({
  rows,
  causes,
  doubt,
  suspicions,
  project_id,
  filter,
  back,
  now,
  role,
}: InboxProps) => {
  const known = new Map(causes.map(one => [one.id, one]))
  const groups = groupsOf(rows)
  const { pathname, search } = new URL(back)
  const mayDecide = role !== 'viewer'
  const table = (
    <div class="scroll">
      <table class="inbox">
        <Head mayDecide={mayDecide} />
        {groups.map(([key, own], at) => (
          <>
            <tbody class="group">
              <Group
                at={at}
                rows={own}
                cause={known.get(key)}
                doubt={doubt}
                project_id={project_id}
                filter={filter}
                mayDecide={mayDecide}
              />
            </tbody>
            <tbody data-rows data-group={String(at)}>
              {own.map(row => (
                <Entry
                  {...{ row, filter, now, mayDecide }}
                  suspicion={suspicions.get(row.record_id)}
                  isOfCause={known.has(key)}
                />
              ))}
            </tbody>
          </>
        ))}
      </table>
    </div>
  )
  return mayDecide ? (
    <form method="post" action={ofProject(project_id, 'triage/decide')} data-selection id="inbox">
      <input type="hidden" name="back" value={pathname + search} />
      <Bulk />
      {table}
    </form>
  ) : (
    <section id="inbox">{table}</section>
  )
}

const Head = ({ mayDecide }: { mayDecide: boolean }) => (
  <thead>
    <tr>
      {mayDecide && (
        <th scope="col">
          <span class="off-screen">Select</span>
        </th>
      )}
      <th scope="col">Item</th>
      <th scope="col">Why</th>
      <th scope="col">Since</th>
      {mayDecide && <th scope="col">Decide</th>}
    </tr>
  </thead>
)

/** Labels of the actions that answer a question. */
const ANSWERS: Partial<Record<RowAction, string>> = { confirm: 'Yes', wrong: 'No' }
const KEYS: Record<RowAction, string> = {
  replay: 'r',
  resume: 'r',
  acknowledge: 'a',
  dismiss: 'd',
  wrong: 'w',
  confirm: 'c',
}

/** The actions on all selected items; placed before the rows, so that a key means them where no row is current. */
const Bulk = () => (
  <fieldset class="bulk actions" aria-label="With the selected items">
    <span class="dim" data-selected aria-live="polite">
      None selected.
    </span>
    <span class="dim keys-hint">
      <kbd>j</kbd> <kbd>k</kbd> walk, <kbd>r</kbd> <kbd>a</kbd> <kbd>d</kbd> decide, <kbd>?</kbd> all keys
    </span>
    {ROW_ACTIONS.map(action => (
      <button name="action" value={action} data-bulk={action} data-key={KEYS[action]}>
        {actionOn(action, 'selected')}
      </button>
    ))}
  </fieldset>
)

interface GroupProps extends Pick<InboxProps, 'doubt' | 'project_id' | 'filter'> {
  at: number
  rows: readonly Row[]
  cause: Cause | undefined
  mayDecide: boolean
}

const Group = ({ at, rows, cause, doubt, project_id, filter, mayDecide }: GroupProps) => {
  const [{ agent_id, kind, reason, question }] = rows as [Row]
  const narrower = cause === undefined ? { agent_id, reason } : { cause_id: cause.id }
  return (
    <tr>
      {mayDecide && (
        <td>
          <input
            type="checkbox"
            data-select-group={String(at)}
            aria-label="Select all of this group"
            hidden
          />
        </td>
      )}
      <th scope="rowgroup" colspan={3}>
        {cause !== undefined ? (
          <a href={ofProject(project_id, `causes/${cause.id}`)}>
            <bdi>{cause.title}</bdi>
          </a>
        ) : kind === 'quarantine' ? (
          'Held for a person'
        ) : question !== null ? (
          question
        ) : (
          capital(reasonMeaning(reason))
        )}{' '}
        <span class="dim">
          {counted(rows.length, 'item')} on this page
          {cause !== undefined && filter.partition_key === undefined && `, ${count(cause.waiting)} in all`}
        </span>
        <Doubted words={doubt(rows[0]!)} project_id={project_id} />
      </th>
      {mayDecide && (
        <td>
          <OfGroup {...{ kind, cause, filter }} narrower={narrower} />
        </td>
      )}
    </tr>
  )
}

interface OfGroupProps extends Pick<GroupProps, 'cause' | 'filter'> {
  kind: Row['kind']
  /** The filter that narrows the page to the group. */
  narrower: Record<string, string>
}

/**
 * The actions on a whole group; each leads to a page that asks for confirmation. They are buttons, since a link would
 * repeat the page's filter and every row may be its own group.
 */
const OfGroup = ({ kind, cause, filter, narrower }: OfGroupProps) => {
  const unnamed = kind === 'dlq' ? ['replay' as const] : []
  const group = new URLSearchParams({ kind, ...narrower })
  return (
    <span class="row-actions">
      <a href={`triage?${new URLSearchParams({ ...filter, kind, ...narrower })}`}>Only these</a>
      {(cause === undefined ? unnamed : actionsOfCause(cause)).map(action => (
        <button class="plain" name="all" value={`${action} ${group}`}>
          {actionOn(action, 'all')}…
        </button>
      ))}
    </span>
  )
}

interface EntryProps {
  row: Row
  /** Filters that all rows share; the page shows them once, above the rows. */
  filter: Record<string, string>
  isOfCause: boolean
  suspicion: string | undefined
  now: number
  mayDecide: boolean
}

const Entry = ({ row, filter, isOfCause, suspicion, now, mayDecide }: EntryProps) => (
  <tr>
    {mayDecide && (
      <td>
        <input
          type="checkbox"
          name="items"
          value={row.record_id}
          data-cost={row.available_actions.includes('replay') ? String(row.cost_usd) : undefined}
          aria-label={`Select ${row.item_id}`}
        />
        {row.kind === 'review' && <input type="hidden" name={saidInTriage(row)} value={row.record_id} />}
      </td>
    )}
    <td>
      <a href={ofItem(row.record_id)}>
        <bdi>{row.item_id}</bdi>
      </a>
      <div class="dim">
        {filter.run_id === undefined && <a href={ofRun(row.run_id)}>{row.run_name ?? row.agent_slug}</a>}
        {row.partition_key !== null && filter.partition_key === undefined && (
          <>
            {filter.run_id === undefined && ' · '}
            <bdi>{row.partition_key}</bdi>
          </>
        )}
      </div>
    </td>
    <td>
      <Why {...{ row, isOfCause, suspicion }} />
    </td>
    <td class="nowrap">
      <When at={row.created_at} now={now} />
    </td>
    {mayDecide && (
      <td class="row-buttons">
        {inOrder(row).map(action => (
          <button name="one" value={`${action} ${row.record_id}`} data-key={KEYS[action]}>
            {row.question === null ? ACTION_VERBS[action] : (ANSWERS[action] ?? ACTION_VERBS[action])}
          </button>
        ))}
      </td>
    )}
  </tr>
)

const Why = ({ row, isOfCause, suspicion }: Pick<EntryProps, 'row' | 'isOfCause' | 'suspicion'>) => (
  <>
    <Verdict of={row.outcome_status ?? 'held'} /> <bdi>{row.message ?? row.question ?? meaningOf(row)}</bdi>
    {suspicion && (
      <div class="dim">
        <q>{suspicion}</q>
      </div>
    )}
    {row.error_code !== null && !isOfCause && <div class="dim">{row.error_code}</div>}
    {row.input_start !== null && (
      <div class="dim input-start" dir="auto">
        {shortened(row.input_start, LIMITS.inbox_input_characters)}
      </div>
    )}
  </>
)

/** The row's actions, with those that answer its question first. */
const inOrder = ({ question, available_actions: can }: Row) =>
  question === null
    ? can
    : [...can.filter(one => ANSWERS[one]).reverse(), ...can.filter(one => !ANSWERS[one])]

const meaningOf = ({ error_code, reason }: Row) =>
  (error_code !== null ? itemErrorMeaning(error_code) : undefined) ?? capital(reasonMeaning(reason))

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
