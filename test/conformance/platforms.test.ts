// Functions under doubles of what OpenFaaS and Knative put around them: what passes, what a signal does to requests in
// flight, and what wakes a function that sleeps. Everything else is tested without a platform.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type RunEvent } from '../../shared/sdk/client.ts'
import { type FunctionProcess, startProcess } from '../support/doubles/process.ts'
import type { Revision } from '../support/doubles/queue-proxy.ts'
import { READY, startWatchdog, type Watchdog } from '../support/doubles/watchdog.ts'
import {
  alone,
  answers,
  functionsHost,
  type RunContainer,
  revisionOf,
  watchdogSettings,
} from './function-hosts.ts'
import { makeAgent, makeRun } from './make.ts'
import { passageConformance } from './suite.ts'
import { openWorld, type World } from './world.ts'

const watchdogs = new Map<string, Watchdog>()
const underWatchdog =
  (settingsOf: Record<string, Record<string, string>> = {}): RunContainer =>
  async ({ name, bundle, env }) => {
    const watchdog = await startWatchdog({
      ...env,
      ...watchdogSettings(bundle),
      healthcheck_interval: '0s',
      ...settingsOf[name],
    })
    watchdogs.set(name, watchdog)
    await answers(watchdog.url, watchdog.process, READY)
    return {
      url: watchdog.url,
      async close() {
        await watchdog.terminate()
        await watchdog.process.ended
      },
    }
  }

const revisions = new Map<string, Revision>()
const underQueueProxy: RunContainer = async container => {
  const revision = await revisionOf(container, {
    containerConcurrency: container.name === 'projects' ? 1 : 0,
  })
  revisions.set(container.name, revision)
  return revision
}

passageConformance('the watchdog of OpenFaaS', functionsHost(underWatchdog()))
passageConformance('the queue-proxy of Knative', functionsHost(underQueueProxy))

const endRun = ({ ctx }: World, run: string) =>
  ctx.sql`update runs set ok = 1, next_seq = 2, finished_at = now() where id = ${run}`

/** A queued run, and a caller who follows it to its end. */
async function followed(world: World) {
  const run = await makeRun(world, (await makeAgent(world)).id, [{ input: 1 }])
  const headers = { authorization: `Bearer ${world.first.api_key}`, accept: 'text/event-stream' }
  const response = await fetch(`${world.url}/v2/runs/${run}/events`, { headers })
  const events = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  await events.read()
  return {
    endRun: () => endRun(world, run),
    async rest(): Promise<string> {
      let text = ''
      for (;;) {
        const { done, value } = await events.read()
        if (done) return text
        text += value
      }
    },
  }
}

it('a function that the kernel kills before it answers is not waited for', async () => {
  const killed = startProcess(['node', '-e', 'process.kill(process.pid, "SIGKILL")'], {})
  await expect(answers('http://127.0.0.1:1', killed)).rejects.toThrow('ended before it answered')
})

it('functions beyond those that may be awake sleep when they are idle, and wake when called', async () => {
  const started: [name: string, FunctionProcess][] = []
  const recorded: RunContainer = async container => {
    const running = await alone(container)
    started.push([container.name, running.process])
    return running
  }
  const of = (wanted: string) => started.filter(([name]) => name === wanted).map(([, process]) => process)
  const world = await openWorld(functionsHost(recorded, 'group', 1))
  try {
    const { endRun, rest } = await followed(world)
    expect((await world.call('GET', '/v1/projects')).status).toBe(200)
    expect(await of('projects')[0]!.ended).toBe(0)
    expect((await world.call('GET', '/v1/projects')).status).toBe(200)
    expect(of('projects')).toHaveLength(2)
    await endRun()
    expect(await rest()).toContain('event: end')
  } finally {
    await world.end()
  }
})

it('without a platform, a function that is asked to stop finishes its requests, then exits', async () => {
  const processes = new Map<string, FunctionProcess>()
  const recorded: RunContainer = async container => {
    const running = await alone(container)
    processes.set(container.name, running.process)
    return running
  }
  const world = await openWorld(functionsHost(recorded))
  try {
    const { endRun, rest } = await followed(world)
    const runs = processes.get('runs')!
    runs.child.kill('SIGTERM')
    await endRun()
    expect(await rest()).toContain('event: end')
    expect(await runs.ended).toBe(0)
  } finally {
    await world.end()
  }
})

describe('under the watchdog of OpenFaaS', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(
      functionsHost(underWatchdog({ runs: { max_inflight: '1', healthcheck_interval: '1s' } })),
    )
  })
  afterAll(() => world?.end())

  it('a request beyond those that a function takes at once gets an error of ours', async () => {
    const { endRun, rest } = await followed(world)
    const headers = { authorization: `Bearer ${world.first.api_key}` }
    const response = await fetch(`${world.url}/v2/runs`, { headers })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await response.json()).error.code).toBe('rate_limited')
    await endRun()
    expect(await rest()).toContain('event: end')
  })

  it('the client gets each change of a run', async () => {
    const run = await makeRun(world, (await makeAgent(world)).id, [{ input: 1 }])
    const client = createClient({ baseUrl: world.url, apiKey: world.first.api_key })
    const events = client.runEvents(run)
    expect((await events.next()).value).toMatchObject({ ended: false, run: { status: 'queued' } })
    await endRun(world, run)
    let last: RunEvent | undefined
    for await (const event of events) last = event
    expect(last).toMatchObject({ ended: true, run: { status: 'completed' } })
  })

  it('a function that is asked to stop still answers until the watchdog leaves', async () => {
    const { endRun, rest } = await followed(world)
    const leaving = watchdogs.get('runs')!.terminate()
    await endRun()
    expect(await rest()).toContain('event: end')
    const answer = await world.call('GET', '/v2/runs') // sent after the signal
    expect(answer.status).toBe(200)
    expect(await leaving).toBe('left')
  })
})

describe('under the queue-proxy of Knative', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(functionsHost(underQueueProxy))
  })
  afterAll(() => world?.end())

  it('the first request starts the function and waits for it; later ones find it', async () => {
    expect((await world.call('GET', '/v1/projects')).status).toBe(200)
    expect((await world.call('GET', '/v1/projects')).status).toBe(200)
    expect(revisions.get('projects')!.started()).toBe(1)
  })

  it('requests beyond those a container takes at once wait for their turn', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => world.call('GET', '/v1/projects')))
    expect(all.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(revisions.get('projects')!.started()).toBe(1)
  })

  it('a function that is scaled to zero exits by itself, and the next request starts another', async () => {
    const projects = revisions.get('projects')!
    expect(await projects.scaleToZero()).toBe(0)
    expect(projects.pod()).toBeUndefined()
    expect((await world.call('GET', '/v1/projects')).status).toBe(200)
    expect(projects.started()).toBe(2)
  })

  it('a stream in flight is served to its end before the function exits', async () => {
    const { endRun, rest } = await followed(world)
    const leaving = revisions.get('runs')!.scaleToZero()
    await endRun()
    expect(await rest()).toContain('event: end')
    expect(await leaving).toBe(0)
  })
})
