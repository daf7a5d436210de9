// Measures how fast files of each format pass through the command, and the most memory that it and the server need: in by
// `assay submit`, out by `assay results`. Where python3 has pandas and DuckDB, it prints how fast they read the same file.
//
//   npm run bench:files [-- --rows 1000000] [csv xlsx …]

import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { XlsxStreamWriter } from 'hucre/xlsx'
import { pack } from '../../infra/packing/packing.ts'
import { parquetOf } from '../../shared/cli/parquet.ts'
import { sheetOf } from '../../shared/cli/xlsx.ts'
import { runOfItems } from './result-items.ts'
import { type Bench, startBench } from './stack.ts'

const { values, positionals } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' } },
  allowPositionals: true,
})
const ROWS = Number(values.rows)
const NAMES = ['id', 'tenant', 'text', 'score']
const WORDS = 'the parcel arrived late and the box was open although I asked for a signature'.split(' ')

function* rows(): Generator<[number, string, string, number]> {
  for (let id = 1; id <= ROWS; id++) {
    const words = Array.from({ length: 8 + (id % 16) }, (_, at) => WORDS[(id * 7 + at * id) % WORDS.length])
    const end = id % 50 === 0 ? `, "quoted" — ${id}` : ` ${id}`
    yield [id, `tenant-${id % 100}`, words.join(' ') + end, ((id * 37) % 1000) / 10]
  }
}

const PIECE_CHARACTERS = 64 * 1024

async function* encoded(lines: Iterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let piece = ''
  for (const line of lines) {
    piece += line
    if (piece.length < PIECE_CHARACTERS) continue
    yield encoder.encode(piece)
    piece = ''
  }
  yield encoder.encode(piece)
}

function* table(delimiter: string) {
  const cell = (value: unknown) =>
    /[",\t]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : value
  yield `${NAMES.join(delimiter)}\n`
  for (const row of rows()) yield `${row.map(cell).join(delimiter)}\n`
}

const objectOf = (row: readonly unknown[]) =>
  JSON.stringify(Object.fromEntries(NAMES.map((name, at) => [name, row[at]])))

function* lines() {
  for (const row of rows()) yield `${objectOf(row)}\n`
}

function* array() {
  for (const row of rows()) yield `${row[0] === 1 ? '[' : ','}${objectOf(row)}`
  yield ']'
}

async function* each() {
  yield* rows()
}

/** As Excel saves it: every text once, in a part of its own. */
async function* shared() {
  const writer = new XlsxStreamWriter({ name: 'Rows', columns: NAMES.map(header => ({ header })) })
  for (const row of rows()) writer.addRow(row)
  yield await writer.finish()
}

const FILES: Record<string, () => AsyncIterable<Uint8Array>> = {
  'rows.jsonl': () => encoded(lines()),
  'rows.json': () => encoded(array()),
  'rows.csv': () => encoded(table(',')),
  'rows.tsv': () => encoded(table('\t')),
  'rows.jsonl.gz': () => pack(encoded(lines()), 'gzip'),
  'rows.csv.zst': () => pack(encoded(table(',')), 'zstd'),
  'rows.parquet': () =>
    parquetOf(
      NAMES.map((name, at) => ({ name, type: (['whole', 'text', 'text', 'number'] as const)[at]! })),
      each(),
    ),
  'rows.xlsx': () => sheetOf(NAMES, each()),
  'shared.xlsx': shared,
}
const OUT = ['csv', 'json', 'ndjson', 'csv.gz', 'ndjson.zst', 'parquet', 'xlsx']

/** Ends with the time and the peak memory of a process; a child's would be the launcher's. */
const COMMAND = `import resource, subprocess, sys, time
began = time.time()
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(time.time() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
sys.exit(status)`

const READ = `import sys, time
name, path = sys.argv[1:]
began = time.time()
if name == 'pandas':
    import pandas as pd
    began = time.time()
    kind = path.removesuffix('.gz').removesuffix('.zst').rsplit('.', 1)[1]
    n = len(pd.read_json(path, lines=kind == 'jsonl') if kind.startswith('json') else pd.read_parquet(path) if kind == 'parquet' else pd.read_excel(path) if kind == 'xlsx' else pd.read_csv(path, sep='\\t' if kind == 'tsv' else ','))
else:
    import duckdb
    duckdb.sql("set enable_progress_bar = false")
    began = time.time()
    n = len(duckdb.sql(f"from '{path}'").fetchall())
print(n / (time.time() - began), 0)`

async function python(
  code: string,
  args: readonly string[],
  env = process.env,
): Promise<[number, number] | undefined> {
  const child = spawn('python3', ['-c', code, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, wrong] = ['', '']
  child.stdout.on('data', part => (out += part))
  child.stderr.on('data', part => (wrong += part))
  const status = await new Promise(resolve => child.once('close', resolve))
  if (status !== 0) {
    if (code === COMMAND) throw new Error(wrong || out)
    return undefined
  }
  const [first = 0, second = 0] = out.trim().split(/\s+/).map(Number)
  return [first, second]
}

const perSecond = (rate: number | undefined) =>
  rate === undefined ? '-' : Math.round(rate).toLocaleString('en')

async function passed(bench: Bench, args: readonly string[]): Promise<[number, number]> {
  const command = [process.execPath, join(import.meta.dirname, '../../shared/cli/assay.mjs'), ...args]
  const env = { ...process.env, ASSAY_BASE_URL: bench.base_url, ASSAY_API_KEY: bench.api_key }
  return (await python(COMMAND, command, env))!
}

async function peakOfServer({ pids }: Bench): Promise<string> {
  const status = await readFile(`/proc/${pids.server}/status`, 'utf8')
  return (Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024).toFixed(0)
}

const chosen = (name: string) => positionals.length === 0 || positionals.some(part => name.endsWith(part))
const folder = await mkdtemp(join(tmpdir(), 'assay-files-'))
const bench = await startBench({ parts: ['api'] })
try {
  const { agent_id } = await bench.deployUrl('ndjson')
  console.log('in: file, MB, rows/s, MiB of the command, of the server so far, rows/s of pandas, of DuckDB')
  for (const [name, made] of Object.entries(FILES).filter(([name]) => chosen(name))) {
    const path = join(folder, name)
    await pipeline(Readable.from(made()), createWriteStream(path))
    const [seconds, peak] = await passed(bench, ['submit', path, '--agent', agent_id])
    const others = [await python(READ, ['pandas', path]), await python(READ, ['duckdb', path])]
    const facts = [(await stat(path)).size / 1e6, ROWS / seconds, peak].map(perSecond)
    console.log(
      [name, ...facts, await peakOfServer(bench), ...others.map(rate => perSecond(rate?.[0]))].join('  '),
    )
    await rm(path)
  }
  console.log('out: file, MB, rows/s, MiB of the command, of the server so far')
  const run_id = await runOfItems(bench, ROWS)
  for (const name of OUT.filter(chosen)) {
    const path = join(folder, `results.${name}`)
    const [seconds, peak] = await passed(bench, ['results', run_id, '--out', path])
    const facts = [(await stat(path)).size / 1e6, ROWS / seconds, peak].map(perSecond)
    console.log([basename(path), ...facts, await peakOfServer(bench)].join('  '))
    await rm(path)
  }
} finally {
  await bench.close()
  await rm(folder, { recursive: true, force: true })
}
