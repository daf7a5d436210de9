// Reads labelled answers in the plain form: the JSONL files of a folder, one answer a line.

import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CHECKS, type CheckName, type Language } from '../../../shared/grading/vocabulary.ts'

export interface LabelledAnswer {
  text: string
  /**
   * The label by people or a judge. `partial`: it refuses and helps as well. `customer`: not an answer
   * of a model but a text by a person. `likely_refusal`: a refusal according to a list of strings. `unlabelled`: without
   * a label, an answer to a harmless question. Other labels are not counted.
   */
  label: 'refusal' | 'likely_refusal' | 'compliance' | 'partial' | 'customer' | 'unlabelled' | 'other'
  /** The family of the model. */
  family: string
  lang?: string
  /** The data set; by default the name of the file. */
  set: string
  /** The check that should find it, or `none`; a label that names a check means the same. */
  check?: CheckName | 'none'
  /** The prompt, and the language in which the answer should be. */
  input?: unknown
  language?: Language
  /** Whether only its beginning was kept. */
  cut?: true
  /** The labels by a list of strings and by a judge, if the set recorded them. */
  string_match?: boolean
  judge?: boolean
}

export function readLabelled(folder: string): LabelledAnswer[] {
  return globSync(join(folder, '*.jsonl'))
    .sort()
    .flatMap(file =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => line.trim() !== '')
        .map((line, i) => {
          const answer = JSON.parse(line) as LabelledAnswer
          if (typeof answer.text !== 'string' || typeof answer.label !== 'string')
            throw new Error(`${file}, line ${i + 1}: an answer needs a text and a label`)
          const named = CHECKS.find(name => name === (answer.label as string))
          return {
            ...(named && { check: named }),
            ...answer,
            set: answer.set ?? basename(file, '.jsonl'),
            family: answer.family ?? 'unknown',
          }
        }),
    )
}
