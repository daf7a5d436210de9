// Reads a file before it is sent, and prints what it holds. Guarantee: it was read to its end, and every row of it can be an
// item.

import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Odd, Survey, type Surveyed } from '../submission/rules/survey.ts'
import { clean, count, plural } from './format.ts'
import type { Screen } from './output.ts'
import type { Session } from './session.ts'
import { readItems, type Source } from './submit-file.ts'

export interface SurveyedFile extends Surveyed {
  changed_ms: number
}

/** Reads the file and sends nothing. @throws Failure `invalid_line` */
export async function surveyed(
  session: Pick<Session, 'output' | 'now'>,
  source: Source,
): Promise<SurveyedFile> {
  const survey = new Survey()
  const changed_ms = source.input === undefined ? (await stat(source.path)).mtimeMs : 0
  const taking = { ...survey.taking, takes: () => false }
  for await (const _ of readItems(session, { ...source, ...taking }, 'reading'));
  return { ...survey.result(), changed_ms }
}

export function printFile({ output }: Pick<Session, 'output'>, { path }: Source, survey: SurveyedFile): void {
  const { rows, lines, columns, delimiter, odd } = survey
  const value = { file: path, rows, lines, columns, delimiter, odd }
  output.emit('file', value, screen => fileText(basename(path), survey, screen))
}

/** What is odd about the file, beside the events. */
export function noteOdd({ output }: Pick<Session, 'output'>, { odd, lines }: SurveyedFile): void {
  for (const one of odd) output.note(oddText(one, lines === null ? 'row' : 'line'))
}

const COLUMNS_SHOWN = 12
const DELIMITERS: Record<string, string> = { '\t': 'tabs', ';': 'semicolons', '|': 'bars' }

function fileText(
  file: string,
  { rows, lines, columns, delimiter, odd }: SurveyedFile,
  { paint }: Screen,
): string {
  const more = columns.length - COLUMNS_SHOWN
  const names = columns.slice(0, COLUMNS_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
  const facts = [
    plural(rows, 'row') + (lines === null ? '' : ` on ${plural(lines, 'line')}`),
    ...(columns.length > 0 ? [`${plural(columns.length, 'column')} (${clean(names)})`] : []),
    ...(delimiter === null || delimiter === ','
      ? []
      : [`between ${DELIMITERS[delimiter] ?? clean(delimiter)}`]),
  ]
  const lineWord = lines === null ? 'row' : 'line'
  return [
    `${paint('bold', clean(file))}: ${facts.join(', ')}`,
    ...odd.map(one => `${paint('yellow', 'odd ')}  ${oddText(one, lineWord)}`),
  ].join('\n')
}

function oddText({ kind, count: n, line, item_id }: Odd, noun: string): string {
  const first = n === 1 ? `at ${noun} ${line}` : `the first at ${noun} ${line}`
  if (kind === 'long_row')
    return `${plural(n, 'row')} of over ten lines, ${first}: is the quote there meant to open a value?`
  if (kind === 'repeated_id')
    return `${plural(n, 'id')} like another one but for case, blanks or letters, ${first}: ${clean(item_id ?? '')}`
  if (kind === 'empty_row') return `${plural(n, 'row')} without any value, ${first}`
  return `the first column has no name and numbers the ${count(n)} rows, as pandas writes its index: it is left out`
}
