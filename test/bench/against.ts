// `npm run bench -- --against REF`: this checkout and another commit of it, measured in turn within one run, so that
// a machine whose speed drifts slows both. Prints each figure of both, their ratio, and how far the ratios spread.

import { type ChildProcess, execFile, fork } from 'node:child_process'
import { chmod, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { median, perSecond } from './batch.ts'
import { type Figures, inMilliseconds, WORKLOADS } from './workloads.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
/** An even number, so that each side goes first as often as the other. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6)

export async function compare(ref: string, only: readonly string[]): Promise<void> {
  const unknown = only.filter(name => !(name in WORKLOADS))
  if (unknown.length > 0)
    throw new Error(`No workload ${unknown.join(', ')}; there are ${Object.keys(WORKLOADS).join(', ')}.`)
  const parts = new AsyncDisposableStack()
  try {
    const there = parts.adopt(await checkOut(ref), folder => removeCheckout(folder))
    const [ours, theirs] = [await startSide(ROOT), await startSide(there)]
    for (const side of [ours, theirs]) parts.defer(() => stopSide(side))
    console.log(
      `this checkout and ${ref}, ${ROUNDS} rounds in turn: medians, ratio, and its least and most\n`,
    )
    for (const name of Object.keys(WORKLOADS).filter(name => only.length === 0 || only.includes(name)))
      print(await rounds(name, ours, theirs))
  } finally {
    await parts.disposeAsync()
  }
}

/** A checkout of the commit beside this one, with this bench in it: both are measured by the same code. */
async function checkOut(ref: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-against-'))
  await chmod(folder, 0o755)
  await run('git', ['worktree', 'add', '--detach', '--force', folder, ref], { cwd: ROOT })
  await rm(join(folder, 'test/bench'), { recursive: true })
  await cp(join(ROOT, 'test/bench'), join(folder, 'test/bench'), { recursive: true })
  const lockOf = (root: string) => readFile(join(root, 'package-lock.json'), 'utf8')
  if ((await lockOf(folder)) === (await lockOf(ROOT)))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
  return folder
}

async function removeCheckout(folder: string): Promise<void> {
  await run('git', ['worktree', 'remove', '--force', folder], { cwd: ROOT })
}

async function startSide(root: string): Promise<ChildProcess> {
  const side = fork(join(root, 'test/bench/side.ts'), { cwd: root })
  await answerOf(side)
  return side
}

async function stopSide(side: ChildProcess): Promise<void> {
  const over = new Promise(resolve => side.once('exit', resolve))
  side.disconnect()
  await over
}

/** @throws Error what the side said, or that it has ended */
function answerOf(side: ChildProcess): Promise<{ figures: Figures }> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('one side of the bench has ended'))
    side.once('exit', ended)
    side.once('message', answer => {
      side.off('exit', ended)
      const { error } = answer as { error?: string }
      if (error === undefined) resolve(answer as { figures: Figures })
      else reject(new Error(error))
    })
  })
}

async function measure(side: ChildProcess, name: string): Promise<Figures> {
  side.send(name)
  return (await answerOf(side)).figures
}

type Pair = { ours: Figures; theirs: Figures }

async function rounds(name: string, ours: ChildProcess, theirs: ChildProcess): Promise<Pair[]> {
  for (const side of [ours, theirs]) await measure(side, name) // the first finds everything cold
  const pairs: Pair[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const first = i % 2 === 0 ? ours : theirs
    const one = await measure(first, name)
    const other = await measure(first === ours ? theirs : ours, name)
    pairs.push(first === ours ? { ours: one, theirs: other } : { ours: other, theirs: one })
  }
  return pairs
}

function print(pairs: readonly Pair[]): void {
  for (const name of Object.keys(pairs[0]!.ours)) {
    const ratios = pairs.map(({ ours, theirs }) => ours[name]! / theirs[name]!)
    const show = inMilliseconds(name) ? (ms: number) => `${ms.toFixed(1)} ms` : perSecond
    const of = (side: keyof Pair) => show(median(pairs.map(pair => pair[side][name]!)))
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
    const cells = [of('ours').padStart(12), of('theirs').padStart(12), median(ratios).toFixed(3).padStart(8)]
    console.log(`${name.padEnd(42)}${cells.join('')}  ${spread}`)
  }
}
