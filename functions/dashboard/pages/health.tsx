// Why nothing runs, or not more: the consumers, what each cap and quota holds back, what is retried and when, and how
// models answer today.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { Fact } from '../parts/fact.tsx'
import { List } from '../parts/list.tsx'
import { ModelUsage } from '../parts/model-usage.tsx'
import { count, counted, percent, span, When } from '../parts/text.tsx'
import { ofItem, ofProject, ofRun } from '../shell/addresses.ts'
import { page, type Visit } from '../shell/page.ts'
import { isNearlyFull } from './quotas.tsx'

type Queue = Schemas['Queue']
type Quota = Schemas['Quota']

interface Turn {
  status: 'ok' | 'stalled' | 'none' | 'unknown'
  age_ms: number | null
}

/** Reads the body whatever its status: it is complete also when a store is unavailable. */
const readReady = async (fetch: Visit<object>['fetch']): Promise<{ turns: Turns }> =>
  (await fetch('/health/ready')).json()

export const healthPage = page({
  path: '/dashboard/projects/{projectId}/health',
  async show({ api, fetch, params, now }) {
    const path = params
    const [project, queue, quotas, usage, ready] = await Promise.all([
      api.GET('/v1/projects/{projectId}', { params: { path } }),
      api.GET('/v1/projects/{projectId}/queue', { params: { path } }),
      api.GET('/v1/quotas'),
      api.GET('/v1/projects/{projectId}/models', { params: { path, query: { days: 1 } } }),
      readReady(fetch),
    ])
    return {
      title: 'Health',
      project_id: params.projectId,
      menu: 'health',
      cli: 'assay queue\nassay doctor',
      live: { every_s: 5 },
      body: (
        <>
          <h1>Health</h1>
          <Figures queue={queue.data!} project={project.data!} turns={ready.turns} />
          <Quotas quotas={quotas.data!} />
          <h2>What waits, and what for</h2>
          <Waiting runs={queue.data!.waiting_runs} now={now} />
          <p>
            <a href={ofProject(params.projectId, 'upstreams')}>
              Upstreams: providers and agents, what they let through, and their limits
            </a>
          </p>
          <h2>Tried again</h2>
          <Retries queue={queue.data!} now={now} />
          <h2>Models today (UTC)</h2>
          <ModelUsage models={usage.data!.models} />
          <p>
            <a href={ofProject(params.projectId, 'models')}>The last 30 days</a>
          </p>
        </>
      ),
    }
  },
})

type Turns = Record<'tick' | 'consumer', Turn>

const Figures = ({ queue, project, turns }: { queue: Queue; project: Schemas['Project']; turns: Turns }) => {
  const longest = queue.waiting_runs.find(run => run.token === null)
  return (
    <dl class="facts" id="queue" data-live>
      <Fact name="At work">
        {count(queue.running)} of at most {count(project.concurrency)}
      </Fact>
      <Fact name="Waiting">
        {counted(queue.queued, 'item')}; {counted(queue.runs, 'run')} open
      </Fact>
      <Fact name="Queue latency">
        {longest !== undefined
          ? span(longest.waited_ms)
          : queue.queued === 0
            ? 'nothing waits'
            : 'none: caps hold back all that waits'}
      </Fact>
      <Fact name="Held">{count(queue.paused)}</Fact>
      <Fact name="Consumer">
        {saysTurn(turns.consumer, queue.running > 0 ? 'waits for agents' : 'has nothing to do')}
      </Fact>
      <Fact name="Tick">{saysTurn(turns.tick, 'did not come lately')}</Fact>
    </dl>
  )
}

const TURNS = { ok: 'at work', stalled: 'stands still', unknown: 'not known: Redis does not answer' }

const saysTurn = ({ status, age_ms }: Turn, none: string) => {
  const words = status === 'none' ? none : TURNS[status]
  return age_ms === null ? words : `${words}, last turn ${span(age_ms)} ago`
}

const Quotas = ({ quotas }: { quotas: readonly Quota[] }) => {
  const full = quotas.filter(isNearlyFull)
  return (
    <p id="quotas" data-live>
      {full.length === 0 ? 'No ' : ''}
      <a href="/dashboard/quotas">{full.length === 0 ? 'quota' : 'Quotas'}</a>
      {full.length === 0
        ? ' is nearly full.'
        : ` nearly full: ${full.map(one => `${one.name.replaceAll('_', ' ')} ${count(one.used!)} of ${count(one.limit!)} (${percent(one.used!, one.limit!)})`).join(', ')}.`}
    </p>
  )
}

const Waiting = ({ runs, now }: { runs: Queue['waiting_runs']; now: number }) => (
  <List
    id="waiting"
    rows={runs}
    columns={[
      { label: 'Run', cell: run => <a href={ofRun(run.id)}>{run.name ?? run.agent_slug}</a> },
      { label: 'Waiting', numeric: true, cell: run => count(run.queued) },
      { label: 'At work', numeric: true, cell: run => count(run.running) },
      {
        label: 'Waits for',
        cell: run => run.message ?? 'Nothing: there is room, and its turn comes by itself.',
      },
      { label: 'Since', numeric: true, cell: run => span(run.waited_ms) },
      { label: 'Created', numeric: true, cell: run => <When at={run.created_at} now={now} /> },
    ]}
    empty={<p>Nothing waits: all that was submitted is at work, held, or has ended.</p>}
  />
)

const Retries = ({ queue, now }: { queue: Queue; now: number }) => (
  <>
    <List
      id="retries"
      rows={queue.next_retries}
      columns={[
        {
          label: 'Item',
          cell: item => (
            <>
              <a href={ofItem(item.record_id)}>
                <bdi>{item.item_id}</bdi>
              </a>{' '}
              <span class="dim">{item.agent_slug}</span>
            </>
          ),
        },
        { label: 'Next try', numeric: true, cell: item => <When at={item.due_at} now={now} /> },
        { label: 'Tries', numeric: true, cell: item => count(item.attempt) },
        {
          label: 'After',
          cell: item => (
            <>
              {item.error_code} <bdi>{item.message}</bdi>
            </>
          ),
        },
      ]}
      empty={<p>No item waits to be tried again.</p>}
    />
    {queue.retries > queue.next_retries.length && (
      <p class="dim">The next of {counted(queue.retries, 'item')}.</p>
    )}
  </>
)
