// `npm run bench -- --against REF` measures this checkout and another commit of it in turn within one run, so that a
// machine whose speed drifts slows both. It prints each figure of both, their ratio and the spread of the ratios.

import { type ChildProcess, execFile, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { median } from './batch.ts'
import { inTheWay, isQuiet, quietRounds, type Round } from './rounds.ts'
import { roundsOf, shown } from './workloads.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
/** An even number, so that each side goes first as often as the other. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6)

export async function compare(ref: string, names: readonly string[], anyway: boolean): Promise<void> {
  const parts = new AsyncDisposableStack()
  try {
    const there = parts.adopt(await checkOut(ref), folder => removeCheckout(folder))
    const [ours, theirs] = [await startSide(ROOT), await startSide(there)]
    for (const side of [ours, theirs]) parts.defer(() => stopSide(side))
    console.log(
      `this checkout and ${ref}, ${ROUNDS} rounds in turn: both medians, their ratio, the lowest and highest ratio\n`,
    )
    for (const name of names) print(name, await rounds(name, ours, theirs, anyway))
  } finally {
    await parts.disposeAsync()
  }
}

/**
 * Checks the commit out into a folder of its own and copies this bench and test/support into it, so that the same code
 * measures both. A commit whose files have other paths is measured by its own bench.
 */
async function checkOut(ref: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-against-'))
  await chmod(folder, 0o755)
  await run('git', ['worktree', 'add', '--detach', '--force', folder, ref], { cwd: ROOT })
  if (await hasWhatTheBenchNeeds(folder))
    for (const part of ['test/bench', 'test/support']) {
      await rm(join(folder, part), { recursive: true })
      await cp(join(ROOT, part), join(folder, part), { recursive: true })
    }
  else console.log(`${ref} has its files at other paths, so its own bench measures it\n`)
  if ((await installedBy(folder)) === (await installedBy(ROOT)))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
  return folder
}

/** Whether the checkout has all files of the project that measuring one side imports. */
async function hasWhatTheBenchNeeds(folder: string): Promise<boolean> {
  const seen = new Set([join(ROOT, 'test/bench/side.ts')])
  for (const file of seen) {
    const text = await readFile(file, 'utf8')
    for (const [, path] of text.matchAll(/from '(\.[^']+)'/g)) {
      const target = join(dirname(file), path!)
      if (relative(ROOT, target).startsWith('test')) seen.add(target)
      else if (!existsSync(join(folder, relative(ROOT, target)))) return false
    }
  }
  return true
}

/** The files that determine which packages are installed, and how they are patched. */
async function installedBy(root: string): Promise<string> {
  const patches = (await readdir(join(root, 'patches'))).sort().map(name => join('patches', name))
  const texts = ['package-lock.json', ...patches].map(name => readFile(join(root, name), 'utf8'))
  return (await Promise.all(texts)).join('\n')
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

/** @throws Error with the error of the side, or if its process has ended */
function answerOf(side: ChildProcess): Promise<Round> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the process of one side of the bench has ended'))
    side.once('exit', ended)
    side.once('message', answer => {
      side.off('exit', ended)
      const { error } = answer as { error?: string }
      if (error === undefined) resolve(answer as Round)
      else reject(new Error(error))
    })
  })
}

function measure(side: ChildProcess, name: string): Promise<Round> {
  side.send(name)
  return answerOf(side)
}

type Pair = { ours: Round; theirs: Round }

/** Measures both sides in turn; each is first in every other round. */
async function rounds(name: string, ours: ChildProcess, theirs: ChildProcess, anyway: boolean) {
  for (const side of [ours, theirs]) await measure(side, name) // warm-up
  let taken = 0
  async function pair(): Promise<Pair> {
    if (taken++ % 2 === 0) return { ours: await measure(ours, name), theirs: await measure(theirs, name) }
    const second = await measure(theirs, name)
    return { ours: await measure(ours, name), theirs: second }
  }
  return quietRounds(
    roundsOf(name, ROUNDS),
    pair,
    ({ ours, theirs }) => anyway || (isQuiet(ours) && isQuiet(theirs)),
  )
}

function print(workload: string, { good, disturbed }: { good: Pair[]; disturbed: Pair[] }): void {
  if (good.length < roundsOf(workload, ROUNDS)) {
    const { ours, theirs } = disturbed.at(-1)!
    console.log(`${workload}: left out, ${inTheWay(isQuiet(ours) ? theirs : ours)}`)
    return
  }
  for (const name of Object.keys(good[0]!.ours.figures)) {
    const ratios = good.map(({ ours, theirs }) => ours.figures[name]! / theirs.figures[name]!)
    const of = (side: keyof Pair) => shown(name, median(good.map(pair => pair[side].figures[name]!)))
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
    const cells = [of('ours').padStart(12), of('theirs').padStart(12), median(ratios).toFixed(3).padStart(8)]
    console.log(`${name.padEnd(58)}${cells.join('')}  ${spread}`)
  }
}
