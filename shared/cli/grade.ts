// The command that grades recorded answers by today's rules. Guarantee: it runs nothing and changes nothing; for a file
// or run of any size it holds only the sums and a few examples in memory.

import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { unpack } from '../../infra/packing/packing.ts'
import { NO_CHECKS, readChecks, writeChecks } from '../grading/rules/check-names.ts'
import { type GradedFile, RecordedAnswers } from '../grading/rules/recorded-answers.ts'
import { type GradeRules, type Regrade, RegradeTally, rulesOf } from '../grading/rules/regrade.ts'
import { ANSWER_CHECKS, type AnswerCheck, type RefusalChoice } from '../grading/vocabulary.ts'
import { defined } from '../kernel/defined.ts'
import { isUuid } from '../kernel/ids.ts'
import { LIMITS } from '../kernel/limits.ts'
import { fileRows } from '../submission/rules/file-rows.ts'
import { type AgentRules, sayDiffering, sayLeft, sayRules } from '../view/grade.ts'
import { answered, findAgent } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { clean, count, plural } from './format.ts'
import type { Screen } from './output.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'
import { findVersion } from './versions.ts'

export async function grade(session: Session, given: Given): Promise<ExitCode> {
  const of = given.arg(0)
  const asked = askedOf(given)
  if (isUuid(of)) return gradeRun(session, of, asked)
  const { rules, declared } = await rulesFor(session, asked)
  const answers = new RecordedAnswers(declared)
  await eachLine(session, of, (line, number) => answers.line(line, number))
  const result = answers.result()
  const value = { file: of, ...rules, ...result }
  session.output.emit('grade', value, screen => fileText(`answers of ${clean(of)}`, rules, result, screen))
  return EXIT.ok
}

interface Asked extends Partial<Pick<GradeRules, 'refusals' | 'checks'>> {
  agent?: string
}

function askedOf(given: Given): Asked {
  const [agent, refusals] = [given.text('agent'), given.text('refusals') as RefusalChoice | undefined]
  const checks = checksOf(given.text('checks'))
  return defined({ agent, refusals, checks })
}

function checksOf(text: string | undefined): AnswerCheck[] | undefined {
  if (text === undefined) return undefined
  const named = readChecks(text)
  if ('checks' in named) return named.checks
  const { unknown, near } = named
  throw usageFailure(`there is no check "${unknown}"`, {
    hint:
      near === undefined
        ? `there are: ${ANSWER_CHECKS.join(', ')}; ${NO_CHECKS} for nothing`
        : `did you mean ${near}?`,
  })
}

async function rulesFor({ api }: Session, { agent: slug, ...asked }: Asked) {
  const agent = slug === undefined ? undefined : await findAgent(api, slug)
  const current = agent && (await findVersion(api, agent, version => version.is_current))
  const { rules, declared } = rulesOf(current, asked)
  const whose = { agent: agent?.slug ?? null, version: current?.version ?? null }
  return { rules: { ...whose, ...rules }, declared }
}

async function eachLine(session: Session, path: string, take: (line: string, number: number) => void) {
  const input = path === '-' ? process.stdin : createReadStream(resolve(session.folder, path))
  // Whatever it is called, it holds JSON.
  const rows = fileRows('answers.jsonl', input, {}, { unpack, max_bytes: LIMITS.regrade_line_bytes })
  try {
    for await (const some of rows)
      for (const row of some) {
        if ('text' in row) take(row.text, row.line)
        else throw unreadable(path, row)
      }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT')
      throw usageFailure(`there is no file ${path}, and it is no id of a run`, { next: 'assay runs' })
    if (code === undefined || error instanceof Failure) throw error
    throw new Failure(EXIT.usage, 'unreadable_file', (error as Error).message)
  }
}

function unreadable(path: string, { line, problem }: { line: number; problem: string }): Failure {
  const code = /UTF-8/.test(problem)
    ? 'invalid_utf8'
    : /longer/.test(problem)
      ? 'line_too_long'
      : 'invalid_line'
  return new Failure(
    EXIT.usage,
    code,
    line === 0 ? `${path} ${problem}` : `${path}: Line ${line} ${problem}`,
    {
      hint: 'each line is one answer, as JSON',
    },
  )
}

async function gradeRun({ api, output }: Session, runId: string, { checks, ...asked }: Asked) {
  const tally = new RegradeTally()
  const query = { ...asked, ...(checks && { checks: writeChecks(checks) }) }
  for (let cursor: string | undefined; ; ) {
    const part = await answered(
      api.GET('/v2/runs/{runId}/grade', {
        params: { path: { runId }, query: { ...query, ...(cursor && { cursor }) } },
      }),
    )
    tally.add(part)
    const result = tally.result()
    if (part.next_cursor === null) {
      const { agent, version, refusals, checks, language } = part
      const rules = { agent, version, refusals, checks, language }
      output.emit('grade', { run_id: runId, ...rules, ...result }, screen => runText(rules, result, screen))
      return EXIT.ok
    }
    cursor = part.next_cursor
    output.redraw('grading', { items: result.items }, () => `graded ${plural(result.items, 'item')}`)
  }
}

function runText(rules: AgentRules, result: Regrade, screen: Screen): string {
  const differing = sayDiffering(result.changes)
  const lines = [
    `graded ${plural(result.calls, 'call')} of ${plural(result.items, 'item')} by ${sayRules(rules)}`,
    differing === undefined
      ? screen.paint('green', 'nothing differs from what was recorded')
      : `${screen.paint('yellow', differing)}; what was recorded stays`,
    ...(result.calls_left === 0 ? [] : [sayLeft(result.calls_left)]),
    '',
    table(COUNTS_OF_RUN, result.verdicts, screen),
  ]
  return [...lines, ...changesText(result, screen)].join('\n')
}

function fileText(what: string, rules: AgentRules, result: GradedFile, screen: Screen): string {
  const isCompared = result.verdicts.some(row => row.calls_was > 0)
  const lines = [`graded ${count(result.calls)} ${what} by ${sayRules(rules)}`, '']
  lines.push(table(isCompared ? COUNTS_OF_FILE : COUNTS_OF_FILE.slice(0, 2), result.verdicts, screen))
  lines.push(...changesText(result, screen))
  if (result.labelled > 0) {
    const share = ((100 * result.agreed) / result.labelled).toFixed(1)
    lines.push('', `${count(result.agreed)} of ${count(result.labelled)} labels agree (${share} %)`)
    lines.push(table(LABELS, result.labels, screen))
  }
  if (result.unread.length > 0) lines.push('', 'not read, such as')
  for (const { item_id, found } of result.unread) lines.push(`  ${clean(item_id)}: ${clean(found)}`)
  return lines.join('\n')
}

const changesText = ({ changes }: Regrade, screen: Screen) =>
  changes.length === 0 ? [] : ['', table(CHANGES, changes, screen)]

type Count = Regrade['verdicts'][number]
type Change = Regrade['changes'][number]

const figures = (title: string, of: (row: Count) => number): Column<Count> => ({
  title,
  value: row => count(of(row)),
  align: 'right',
})
const VERDICT: Column<Count> = { title: 'VERDICT', value: row => clean(row.verdict), least: 8 }
const COUNTS_OF_RUN = [
  VERDICT,
  figures('ITEMS WERE', row => row.items_was),
  figures('ARE', row => row.items_now),
  figures('CALLS WERE', row => row.calls_was),
  figures('ARE', row => row.calls_now),
]
const COUNTS_OF_FILE = [
  VERDICT,
  figures('ANSWERS', row => row.calls_now),
  figures('WERE', row => row.calls_was),
]

const CHANGES: Column<Change>[] = [
  { title: 'DIFFER', value: row => plural(row.count, row.of), align: 'right' },
  { title: 'WAS', value: row => clean(row.was) },
  { title: 'NOW', value: row => clean(row.now), style: row => (row.now === 'ok' ? 'green' : 'yellow') },
  {
    title: 'SUCH AS',
    value: row =>
      row.examples.map(({ item_id, step }) => clean([item_id, step].filter(Boolean).join(' '))).join(', '),
    least: 12,
  },
]

const LABELS: Column<GradedFile['labels'][number]>[] = [
  { title: 'LABEL', value: row => clean(row.label), least: 8 },
  { title: 'VERDICT', value: row => row.verdict, least: 8 },
  { title: 'ANSWERS', value: row => count(row.count), align: 'right' },
]
