// The live view of runs. Guarantee: followed runs are as current as their last event, all others are polled every two
// seconds; the user changes only what they confirm.

import { type Api, answered, asFailure, type Run } from './api.ts'
import { EXIT, type ExitCode } from './failure.ts'
import { type FullScreen, isFullTerminal, type Key, openFullScreen } from './full-screen.ts'
import { pause } from './listing.ts'
import { readMetrics } from './metrics.ts'
import { outage } from './outage.ts'
import type { Screen } from './output.ts'
import { openRuns } from './overview.ts'
import { paceMeter } from './progress.ts'
import { runNews } from './run-news.ts'
import type { Session } from './session.ts'
import { headLines, type Load, runLines, type TopState, topLines } from './top-view.ts'
import { hasEnded } from './verdict.ts'

/** Runs whose events are followed; all others are polled. A server takes 500 such streams. */
const STREAMS = 8
const RUNS_KEPT = 100
/** The least time between two redraws that a person can still read; events come faster. */
const DRAW_MS = 100

export async function top(session: Session): Promise<ExitCode> {
  const [runs, load] = await look(session)
  const state: TopState = {
    runs,
    load,
    paces: new Map(),
    selected: runs[0]?.id,
    asks: 'nothing',
    bad: [],
    note: '',
  }
  if (!isFullTerminal() || session.output.isJson) {
    session.output.emit('top', { runs, ...load }, screen => snapshot(state, session.now(), screen))
    return EXIT.ok
  }
  const screen = openFullScreen()
  try {
    return await live(session, state, screen)
  } finally {
    screen.leave()
  }
}

const snapshot = (state: TopState, now: number, screen: Screen) =>
  [
    ...headLines(state, now, screen),
    ...runLines({ ...state, selected: undefined }, Number.POSITIVE_INFINITY, screen),
  ].join('\n')

async function look({ api, env, folder, now }: Session): Promise<[Run[], Load]> {
  const [runs, projects, read] = await Promise.all([
    openRuns(api),
    answered(api.GET('/v1/projects')),
    readMetrics(env, folder),
  ])
  const metrics = 'why' in read ? undefined : read
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  const waiting = runs
    .filter(run => run.queued > 0 && run.running === 0)
    .map(run => Date.parse(run.created_at))
  const waited = waiting.length === 0 ? null : Math.max(0, (now() - Math.min(...waiting)) / 1000)
  return [
    runs,
    {
      running: sum(projects.map(project => project.running)),
      concurrency: sum(projects.map(project => project.concurrency)),
      oldest_wait_s: metrics?.values.assay_oldest_wait_seconds ?? waited,
      consumers: metrics?.values.assay_consumers_awake ?? null,
      leases_expired: metrics?.values.assay_leases_expired ?? null,
    },
  ]
}

function live(session: Session, state: TopState, screen: FullScreen): Promise<ExitCode> {
  const over = Promise.withResolvers<ExitCode>()
  const ending = new AbortController()
  const view = new View(session, state, screen)
  screen.onKey(key => {
    if (key === 'q' || key === 'interrupt') over.resolve(EXIT.ok)
    else void view.press(key).catch(over.reject)
  })
  screen.onResize(() => view.draw())
  view.draw()
  void keepLooking(session, view, ending.signal).catch(over.reject)
  return over.promise.finally(() => {
    ending.abort()
    view.close()
  })
}

/** Polls the runs until the signal aborts, and follows the events of the first ones. */
async function keepLooking(session: Session, view: View, signal: AbortSignal): Promise<void> {
  const away = outage({ now: session.now, output: { ...session.output, note: text => view.tell(text) } })
  const quiet = { ...session.output, note: () => {} }
  const followed = new Set<string>()
  const followEvents = async (run: Run) => {
    followed.add(run.id)
    try {
      const wire = { api: session.api, now: session.now, output: quiet }
      for await (const news of runNews(wire, run.id, signal)) {
        view.update(news)
        if (hasEnded(news)) break
      }
    } catch (error) {
      if (asFailure(error) === undefined) throw error // polling reports problems of the server
    } finally {
      followed.delete(run.id)
    }
  }
  do {
    for (const run of view.openRuns()) {
      if (followed.size >= STREAMS) break
      if (!followed.has(run.id)) void followEvents(run)
    }
    if (!(await pause(signal))) return
    try {
      view.take(...(await look(session)))
      away.over()
    } catch (error) {
      if (!signal.aborted) away.failed(error)
    }
  } while (!signal.aborted)
}

/** The state of the screen, and the actions of keys. */
class View {
  readonly #session: Session
  readonly #screen: FullScreen
  readonly #meters = new Map<string, ReturnType<typeof paceMeter>>()
  #state: TopState
  #timer: NodeJS.Timeout | undefined

  constructor(session: Session, state: TopState, screen: FullScreen) {
    this.#session = session
    this.#screen = screen
    this.#state = state
    for (const run of state.runs) this.update(run)
  }

  openRuns = (): Run[] => this.#state.runs.filter(run => !hasEnded(run))

  /** Shows the open runs; runs that ended while the view was open stay below them. */
  take(open: readonly Run[], load: Load): void {
    const ids = new Set(open.map(run => run.id))
    const gone = this.#state.runs.filter(run => !ids.has(run.id))
    const runs = [...open, ...gone].slice(0, RUNS_KEPT)
    const isShown = (id: string) => runs.some(run => run.id === id)
    const { selected: was } = this.#state
    const selected = was !== undefined && isShown(was) ? was : runs[0]?.id
    for (const id of this.#meters.keys()) if (!isShown(id)) this.#meters.delete(id)
    const paces = new Map([...this.#state.paces].filter(([id]) => isShown(id)))
    this.#change({ runs, load, paces, selected, note: '' })
    for (const run of open) this.update(run)
    for (const run of gone) if (!hasEnded(run)) void this.#refresh(run.id)
    if (this.#state.asks === 'details') void this.#readBad()
  }

  update(run: Run): void {
    const meter = this.#meters.get(run.id) ?? paceMeter()
    this.#meters.set(run.id, meter)
    const paces = new Map(this.#state.paces).set(run.id, meter(run, this.#session.now()))
    const runs = this.#state.runs.map(known => (known.id === run.id ? run : known))
    this.#change({ runs, paces })
  }

  tell = (note: string): void => this.#change({ note })

  async press(key: Key): Promise<void> {
    const { asks } = this.#state
    const selected = this.#selected()
    if (asks === 'cancel') {
      this.#change({ asks: 'nothing' })
      if (key === 'y' && selected !== undefined) await this.#cancel(selected.id)
    } else if (key === 'back') this.#change({ asks: 'nothing' })
    else if (selected === undefined) return
    else if (key === 'c' && !hasEnded(selected)) this.#change({ asks: 'cancel' })
    else if (asks === 'details') return
    else if (key === 'enter') await this.#showDetails()
    else if (key === 'up') this.#move(-1)
    else if (key === 'down') this.#move(1)
  }

  draw(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#screen.draw(topLines(this.#state, this.#screen.rows, this.#session.now(), this.#paper()))
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #paper = (): Screen => ({ ...this.#session.output.screen(), columns: this.#screen.columns })

  #selected = () => this.#state.runs.find(run => run.id === this.#state.selected)

  #change(change: Partial<TopState>): void {
    this.#state = { ...this.#state, ...change }
    this.#timer ??= setTimeout(() => this.draw(), DRAW_MS)
  }

  #move(by: number): void {
    const { runs, selected } = this.#state
    const at = runs.findIndex(run => run.id === selected) + by
    this.#change({ selected: runs[Math.min(Math.max(0, at), runs.length - 1)]!.id })
    this.draw()
  }

  async #showDetails(): Promise<void> {
    this.#change({ asks: 'details', bad: [] })
    this.draw()
    await this.#readBad()
  }

  #readBad = () =>
    this.#told(async api => {
      const path = { runId: this.#state.selected! }
      const query = { outcome: 'not_ok' as const, limit: this.#screen.rows }
      const bad = await answered(api.GET('/v2/runs/{runId}/items', { params: { path, query } }))
      if (path.runId === this.#state.selected) this.#change({ bad })
    })

  #cancel = (runId: string) =>
    this.#told(async api => {
      this.update(await answered(api.POST('/v2/runs/{runId}/cancel', { params: { path: { runId } } })))
      this.#change({ note: 'it is being cancelled' })
    })

  #refresh = (runId: string) =>
    this.#told(async api =>
      this.update(await answered(api.GET('/v2/runs/{runId}', { params: { path: { runId } } }))),
    )

  /** Does the work; shows an error of the server below the runs. */
  async #told(work: (api: Api) => Promise<void>): Promise<void> {
    try {
      await work(this.#session.api)
    } catch (error) {
      const failure = asFailure(error)
      if (failure === undefined) throw error
      this.#change({ note: failure.message })
    }
  }
}
