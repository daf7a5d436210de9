// Labelled answers in the plain form: JSONL files of a folder, one answer a line.

import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CHECKS, type CheckName, type Language } from '../../../shared/grading/vocabulary.ts'

export interface LabelledAnswer {
  text: string
  /**
   * What people or a judge said of it. `partial`: it refuses and helps as well. `customer`: no answer of a model at
   * all, but what a person wrote. `likely_refusal`: a list of strings says so.
   * `unlabelled`: nobody said; answers to harmless questions. Whatever else stands there is counted by nothing.
   */
  label: 'refusal' | 'likely_refusal' | 'compliance' | 'partial' | 'customer' | 'unlabelled' | 'other'
  /** Whose model it was. */
  family: string
  lang?: string
  /** Where it is from; the file's name where it is not said. */
  set: string
  /** Which check should find it, `none` where none should; a label that names a check says the same. */
  check?: CheckName | 'none'
  /** What the model was asked with, and the language that was due. */
  input?: unknown
  language?: Language
  /** Only its beginning was kept. */
  cut?: true
  /** What a list of strings and a judge said of it, where the set recorded that. */
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
