// Runs batches through a whole Assay, times them, and formats figures.

import { setTimeout as pause } from 'node:timers/promises'
import type { Agent, Bench } from './stack.ts'

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)

/** Bytes of an input: a short text, which is the default, and a text with a paragraph. */
export const SHORT = 105
export const LONG = 330
const SENTENCE = 'my card has not arrived and I would like to know where it is, please help'

/** An input of so many bytes, not counting the digits of `i`. All have the same prompt unless `ownPrompts` is set. */
export function INPUT(i: number, bytes = SHORT, ownPrompt = false): string {
  const [head, tail] = [`{"ticket":"T-${i}","text":"${ownPrompt ? i : ''}`, `","n":${i}}`]
  const text = `${SENTENCE}; `.repeat(Math.ceil(bytes / SENTENCE.length))
  return `${head}${text.slice(0, Math.max(SENTENCE.length, bytes - 32))}${tail}`
}

export type Ending = 'ok' | 'failed' | 'one in a hundred failed'

export interface Load {
  items: number
  /** The size of each input. */
  bytes?: number
  /** The number of partitions that the items are spread over in turn; by default none. */
  partitions?: number
  /** How the items should end; by default all ok. */
  ending?: Ending
  /** Failed items are clustered by their prompts. */
  ownPrompts?: boolean
}

/** For an even number of values, the mean of the middle two. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const half = sorted.length / 2
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
}

export function percentile(figures: readonly number[], p: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * p) / 100))]!
}

export const show = (name: string, figure: string, note = '') =>
  console.log(`${name.padEnd(58)}${figure.padStart(12)}  ${note}`)
export const perSecond = (n: number) => `${Math.round(n).toLocaleString('en')}/s`

/** A batch as NDJSON. */
export function lines(load: number | Load): ReadableStream<Uint8Array> {
  const { items, bytes, partitions = 0, ownPrompts } = typeof load === 'number' ? { items: load } : load
  const encoder = new TextEncoder()
  const partition = (i: number) => (partitions > 0 ? `"partition_key":"tenant-${i % partitions}",` : '')
  let next = 0
  return new ReadableStream({
    pull(controller) {
      if (next >= items) return controller.close()
      let text = ''
      for (const end = Math.min(next + 500, items); next < end; next++)
        text += `{"item_id":"item-${next}",${partition(next)}"input":${INPUT(next, bytes, ownPrompts)}}\n`
      controller.enqueue(encoder.encode(text))
    },
  })
}

const LOOK_MS = 5

/** How many of the items should end ok, and how many failed. */
const ENDINGS: Record<Ending, (items: number) => [ok: number, failed: number]> = {
  ok: items => [items, 0],
  failed: items => [0, items],
  'one in a hundred failed': items => [items - Math.floor(items / 100), Math.floor(items / 100)],
}

/** Resolves when a run has ended with these counts of its items. */
export async function finished(bench: Bench, runId: string, how: Ending = 'ok'): Promise<void> {
  for (;;) {
    const [run] =
      await bench.sql`select finished_at is not null as over, ok, failed, total_items from runs where id = ${runId}`
    if (run!.over) {
      const { ok, failed, total_items } = run as { ok: number; failed: number; total_items: number }
      const [okay, not] = ENDINGS[how](total_items)
      if (ok !== okay || failed !== not)
        throw new Error(
          `run ${runId}: ${ok} of ${total_items} items ended ok and ${failed} failed; expected: ${how}`,
        )
      return
    }
    await pause(LOOK_MS)
  }
}

/** Runs one batch; returns items a second from the first byte sent to the last verdict committed. */
export async function batch(bench: Bench, { agent_id, project }: Agent, load: Load) {
  const started = performance.now()
  const { run_id } = await project.client.submitLines({ agent_id }, lines(load))
  const accepted = performance.now()
  await finished(bench, run_id, load.ending)
  const ended = performance.now()
  const per = (ms: number) => (load.items / ms) * 1000
  return { submit: per(accepted - started), drain: per(ended - accepted), all: per(ended - started) }
}

/** Items of each request, if items are submitted while others run. */
export const REQUEST_ITEMS = 1000
const SUBMITTERS = 2

/** Submits this many items in several requests, two at once. */
export async function inRequests(items: number, submit: (items: number) => Promise<void>): Promise<void> {
  let left = Math.ceil(items / REQUEST_ITEMS)
  async function submitter(): Promise<void> {
    while (left-- > 0) await submit(REQUEST_ITEMS)
  }
  await Promise.all(Array.from({ length: SUBMITTERS }, submitter))
}

/** The same, but items of earlier requests run while the next are submitted. */
export async function batches(bench: Bench, { agent_id, project }: Agent, load: Load) {
  const started = performance.now()
  const runIds: string[] = []
  await inRequests(load.items, async items => {
    runIds.push((await project.client.submitLines({ agent_id }, lines({ ...load, items }))).run_id)
  })
  const accepted = performance.now()
  await Promise.all(runIds.map(runId => finished(bench, runId, load.ending)))
  const ended = performance.now()
  const per = (ms: number) => (load.items / ms) * 1000
  return { submit: per(accepted - started), all: per(ended - started) }
}
