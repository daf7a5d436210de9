// Batches through a whole Assay, timed, and how figures are printed.

import type { Bench } from './stack.ts'

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
export const INPUT = (i: number) =>
  `{"ticket":"T-${i}","text":"my card has not arrived and I would like to know where it is, please help","n":${i}}`

export type Ending = 'ok' | 'failed'

/** Of an even number the mean of the middle two. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const half = sorted.length / 2
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
}
export const show = (name: string, figure: string, note = '') =>
  console.log(`${name.padEnd(44)}${figure.padStart(12)}  ${note}`)
export const perSecond = (n: number) => `${Math.round(n).toLocaleString('en')}/s`

export function lines(count: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next = 0
  return new ReadableStream({
    pull(controller) {
      if (next >= count) return controller.close()
      let text = ''
      for (const end = Math.min(next + 500, count); next < end; next++)
        text += `{"item_id":"item-${next}","input":${INPUT(next)}}\n`
      controller.enqueue(encoder.encode(text))
    },
  })
}

/** Resolves when a run has ended with all its items like this. */
export async function finished(bench: Bench, runId: string, how: Ending = 'ok'): Promise<void> {
  for (;;) {
    const [run] =
      await bench.sql`select finished_at is not null as over, ok, failed, total_items from runs where id = ${runId}`
    if (run!.over) {
      if (run![how] !== run!.total_items)
        throw new Error(`run ${runId}: ${run![how]} of ${run!.total_items} ${how}`)
      return
    }
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/** One batch from the first byte sent to the last verdict committed. */
export async function batch(bench: Bench, agent_id: string, items: number, how: Ending = 'ok') {
  const started = performance.now()
  const { run_id } = await bench.client.submitLines({ agent_id }, lines(items))
  const accepted = performance.now()
  await finished(bench, run_id, how)
  const ended = performance.now()
  const per = (ms: number) => (items / ms) * 1000
  return { submit: per(accepted - started), drain: per(ended - accepted), all: per(ended - started) }
}
