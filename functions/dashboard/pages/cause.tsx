// One cause: the messages of its items, their runs, and the actions on all of them at once.

import { ACTED } from '../../../shared/recovery/rules/recovery.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { actionsOfCause } from '../../../shared/view/cause.ts'
import { runName } from '../../../shared/view/run.ts'
import { actionOn } from '../parts/action-words.ts'
import { FirstOf, List } from '../parts/list.tsx'
import { Payload } from '../parts/payload.tsx'
import { type Item, readItem } from '../parts/record.ts'
import { Crumb, count, counted, money, statusWord, When } from '../parts/text.tsx'
import { ofItem, ofProject, ofRecovery, ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

type Cause = Schemas['CauseWithRuns']

export const causePage = page({
  path: '/dashboard/projects/{projectId}/causes/{causeId}',
  async show({ api, params, member, now }) {
    const { projectId: project_id, causeId } = params
    const { data } = await api.GET('/v1/causes/{causeId}', { params: { path: { causeId } } })
    const cause = data!
    const example = cause.record_id === null ? undefined : await readItem(api, cause.record_id)
    return {
      title: cause.title,
      project_id,
      menu: 'triage',
      cli: `assay triage --cause ${cause.id}\nassay recover --cause ${cause.id} --dry-run`,
      body: (
        <>
          <Crumb href={ofProject(project_id, 'triage')}>Triage</Crumb>
          <h1>
            <bdi>{cause.title}</bdi>
          </h1>
          <p class="lead">
            {counted(cause.count, 'time')} in {counted(cause.runs, 'run')} of {cause.agent_slug}, replays
            included; {cause.waiting === 0 ? 'no item' : counted(cause.waiting, 'item')} to decide. All of it
            cost {money(cause.cost_usd)}. First <When at={cause.first_seen} now={now} />, last{' '}
            <When at={cause.last_seen} now={now} />.
          </p>
          <p class="actions">
            {cause.waiting > 0 && member.role !== 'viewer' && <Actions cause={cause} />}
            {cause.waiting > 0 && (
              <a href={ofProject(project_id, `triage?cause_id=${cause.id}`)}>Those that wait</a>
            )}
          </p>
          <Decisions of={cause} now={now} />
          {example && <Example of={example} />}
          <h2>Newest runs with it</h2>
          <Runs cause={cause} now={now} />
          <FirstOf
            shown={cause.latest_runs.length}
            total={cause.latest_runs.length === 0 ? 0 : cause.runs}
            noun="runs"
            href={ofProject(project_id, `runs?cause_id=${cause.id}`)}
          />
        </>
      ),
    }
  },
})

const Decisions = ({ of: { decisions }, now }: { of: Cause; now: number }) =>
  decisions.length === 0 ? (
    ''
  ) : (
    <ul id="decisions" aria-label="Decisions about all of its items">
      {decisions.map(one => (
        <li>
          <a href={ofRecovery(one.recovery_id)}>
            {capital(ACTED[one.action])} all {count(one.eligible)}
          </a>
          {one.created_by !== null && (
            <>
              {' by '}
              <bdi>{one.created_by}</bdi>
            </>
          )}{' '}
          <When at={one.created_at} now={now} />
        </li>
      ))}
    </ul>
  )

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const Runs = ({ cause, now }: { cause: Cause; now: number }) => (
  <List
    id="runs"
    rows={cause.latest_runs}
    columns={[
      {
        label: 'Run',
        cell: one => <a href={ofRun(one.run_id)}>{runName({ ...one, agent_slug: cause.agent_slug })}</a>,
      },
      { label: 'Submitted', cell: one => <When at={one.created_at} now={now} /> },
      { label: 'Items', numeric: true, cell: one => count(one.count) },
      { label: 'To decide', numeric: true, cell: one => count(one.waiting) },
      { label: 'Last', numeric: true, cell: one => <When at={one.last_seen} now={now} /> },
    ]}
    empty={<p>No run with it is kept any more.</p>}
  />
)

const Example = ({ of: { item, texts } }: { of: Awaited<ReturnType<typeof readItem>> }) => (
  <section id="example" aria-label="An example">
    <h2>An example</h2>
    <p>
      <a href={ofItem(item.id)}>
        <bdi>{item.item_id}</bdi>
      </a>{' '}
      <span class="dim">What went wrong:</span> {wrongWith(item)}
    </p>
    <Payload
      text={texts.input}
      raw={ofItem(item.id, 'raw/input')}
      viewing={{ view: 'text', link: view => `${ofItem(item.id)}?view=${view}#input` }}
    />
  </section>
)

const wrongWith = ({ error_message, outcome_reason, status }: Item) =>
  error_message ?? (outcome_reason ? reasonMeaning(outcome_reason) : statusWord(status))

/** Each links to a page that says what the action would do, and asks for confirmation. */
const Actions = ({ cause }: { cause: Cause }) => (
  <>
    {actionsOfCause(cause).map((action, at) => (
      <a
        class={at === 0 ? 'button primary' : 'button'}
        href={ofProject(cause.project_id, `recover?${new URLSearchParams({ cause_id: cause.id, action })}`)}
      >
        {actionOn(action, `all ${count(cause.waiting)}`)}…
      </a>
    ))}
  </>
)
