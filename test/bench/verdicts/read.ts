// Reads the files in which public repositories keep answers, and determines the family of a model by its name.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { LANGUAGES } from '../../../shared/grading/vocabulary.ts'
import type { LabelledAnswer } from './data.ts'

/** Returns the answers of a repository in the plain form; `folder` is its checkout. */
export type Sources = Record<string, (folder: string) => Iterable<LabelledAnswer>>

export type Fields = Record<string, unknown>

export const lines = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => {
      try {
        return [JSON.parse(line) as Fields]
      } catch {
        return []
      }
    })
export const rows = (file: string) =>
  parse(readFileSync(file), { columns: true, relax_quotes: true, relax_column_count: true }) as Record<
    string,
    string
  >[]
export const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
export const listOf = (value: unknown) => (Array.isArray(value) ? value : [])
export const files = (repository: string, pattern: string) => globSync(join(repository, pattern)).sort()

/** If the prompt is in a language that the check can recognize, the answer should be in that language. */
export const languageDue = (name: string) => {
  const language = LANGUAGES.find(one => one === name)
  return language && { language }
}

/** The family of a model, by its name. */
const FAMILIES: readonly [RegExp, string][] = [
  [/gemma/, 'gemma'],
  [/gemini/, 'gemini'],
  [/deepseek|r1-1776|chimera|mai-ds/, 'deepseek'],
  [/claude/, 'claude'],
  [/qwen|qwq/, 'qwen'],
  [/gpt-oss|gpt|davinci|chatgpt|openai|o1-|o3-|horizon|optimus|quasar/, 'gpt'],
  [/mistral|mixtral|zephyr/, 'mistral'],
  [/vicuna|llama|tulu|nemotron/, 'llama'],
  [/phi/, 'phi'],
  [/cohere|command/, 'command'],
  [/glm/, 'glm'],
  [/grok/, 'grok'],
]
export const familyOf = (model: string) =>
  FAMILIES.find(([pattern]) => pattern.test(model.toLowerCase()))?.[1] ?? 'other'
