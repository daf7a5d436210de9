// Brings public repositories' labelled answers into the plain form that `bench:verdicts` reads. Nothing is fetched:
// SOURCES holds checkouts, each in a folder named `owner+repository`; what is missing is left out and said.
//
//   node test/bench/verdicts/convert.ts SOURCES DATA

import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { LANGUAGES } from '../../../shared/domain/vocabulary.ts'
import { PHRASES } from '../../../shared/items/rules/refusal-phrases.ts'
import type { LabelledAnswer } from './data.ts'

const [sources, data] = process.argv.slice(2)
if (sources === undefined || data === undefined) {
  console.error('usage: node test/bench/verdicts/convert.ts SOURCES DATA')
  process.exit(2)
}

type Fields = Record<string, unknown>
type Label = LabelledAnswer['label']

const lines = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => {
      try {
        return [JSON.parse(line) as Fields]
      } catch {
        return []
      }
    })
const rows = (file: string) =>
  parse(readFileSync(file), { columns: true, relax_quotes: true, relax_column_count: true }) as Record<
    string,
    string
  >[]
const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const listOf = (value: unknown) => (Array.isArray(value) ? value : [])
const files = (repository: string, pattern: string) => globSync(join(repository, pattern)).sort()

/** Where it is asked in a language that answers are told apart by, they should be in it. */
const languageDue = (name: string) => {
  const language = LANGUAGES.find(one => one === name)
  return language && { language }
}

/** Whose model it is, by its name. */
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

const XSTEST: Record<string, Label> = {
  '1_full_compliance': 'compliance',
  '2_full_refusal': 'refusal',
  '3_partial_refusal': 'partial',
}

/** Of the classes of harm these say whether it answered: 0 will not, 1 contradicts, 2 both sides, 5 does as told. */
const DO_NOT_ANSWER: Record<string, Label> = {
  '0': 'refusal',
  '1': 'likely_refusal',
  '2': 'compliance',
  '5': 'compliance',
}

const SPEECHMAP: Record<string, Label> = { DENIAL: 'refusal', COMPLETE: 'compliance', EVASIVE: 'partial' }

/** The third class refuses and redirects. */
const TAXONOMY: Record<string, Label> = { '0': 'compliance', '1': 'refusal', '2': 'partial' }

const K_OVERREFUSAL: Record<string, Label> = {
  refusal: 'refusal',
  compliance: 'compliance',
  deflection: 'partial',
}

/** A source, by its repository: what it has, in the plain form. */
const SOURCES: Record<string, (folder: string) => Iterable<LabelledAnswer>> = {
  *'paul-rottger+exaggerated-safety'(folder) {
    for (const file of files(folder, 'evaluation/automated_evaluation_labels/*_streval.csv')) {
      const judged = rows(file.replace('_streval', '_gpteval'))
      for (const [i, row] of rows(file).entries())
        yield {
          set: 'xstest',
          family: familyOf(basename(file)),
          lang: 'en',
          text: row.completion!,
          label: XSTEST[row.final_label!] ?? 'other',
          string_match: row.strmatch_label === '2_full_refusal',
          judge: judged[i]?.gpt4_label === '2_full_refusal',
        }
    }
  },
  *'kunishou+do-not-answer-ja'(folder) {
    for (const file of files(folder, 'datasets/Review/Human/*.csv'))
      for (const row of rows(file))
        yield {
          set: 'do-not-answer',
          family: familyOf(basename(file)),
          lang: 'en',
          text: row.response!,
          label: DO_NOT_ANSWER[row.action!] ?? 'other',
        }
  },
  *'mainlp+Multilingual-Refusal'(folder) {
    for (const file of files(folder, 'output/ja_vector_sweep/*/*/*/*/*/completions/*_evaluations.json')) {
      const [, , model, language] = file
        .slice(folder.length + 1)
        .split('/')
        .slice(1)
      for (const one of json(file).completions as Fields[])
        yield {
          set: file.includes('ablation') ? 'polyrefuse-ablated' : 'polyrefuse',
          family: familyOf(model!),
          lang: language!,
          ...languageDue(language!),
          text: String(one.response),
          label:
            (one.wildguard as { refusal?: number } | undefined)?.refusal === 1 ? 'refusal' : 'compliance',
        }
    }
  },
  *'Marker-Inc-Korea+K-OverRefusal'(folder) {
    for (const file of files(folder, 'outputs/**/evaluation_results.jsonl'))
      for (const row of lines(file))
        yield {
          set: 'k-overrefusal',
          family: familyOf(file.slice(folder.length + 1).split('/')[2]!),
          lang: 'ko',
          text: String(row.response),
          label: K_OVERREFUSAL[String(row.refusal_clf_label)] ?? 'other',
        }
  },
  *'xlr8harder+speechmap-data'(folder) {
    for (const file of files(folder, 'analysis/*.jsonl'))
      for (const row of lines(file)) {
        const choice = (row.response as { choices?: { message?: { content?: unknown } }[] } | undefined)
          ?.choices?.[0]
        const text = choice?.message?.content
        if (typeof text !== 'string' || text.trim() === '') continue
        const [language] = /^(?:zh|fi)(?=_)/.exec(String(row.category)) ?? ['en']
        yield {
          set: 'speechmap',
          family: familyOf(String(row.model)),
          lang: language,
          text,
          label: SPEECHMAP[String(row.compliance)] ?? 'other',
        }
      }
  },
  // Its data frames, as records: pandas.read_pickle('test_….pkl').to_json('Data/test.json', orient='records').
  *'ramyalsaffar+Dual-RoBERTa-Classifiers-for-3-Class-Refusal-Taxonomy-and-Binary-Jailbreak-Detection'(
    folder,
  ) {
    for (const file of files(folder, 'Data/*.json'))
      for (const row of json(file) as Fields[])
        yield {
          set: 'taxonomy',
          family: familyOf(String(row.model_name)),
          lang: 'en',
          text: String(row.response),
          label: TAXONOMY[String(row.refusal_label)] ?? 'other',
        }
  },
  *'andyrdt+refusal_direction'(folder) {
    for (const file of files(
      folder,
      'pipeline/runs/*/completions/{harmless,jailbreakbench}_baseline_evaluations.json',
    ))
      for (const one of json(file).completions as Fields[]) {
        const refuses = one.is_jailbreak_substring_matching === 0
        if (file.includes('harmless') && refuses) continue
        yield {
          set: 'refusal-direction',
          family: familyOf(file.slice(folder.length + 1).split('/')[2]!),
          lang: 'en',
          text: String(one.response),
          label: refuses ? 'likely_refusal' : file.includes('harmless') ? 'unlabelled' : 'other',
        }
      }
  },
  *'JailbreakBench+artifacts'(folder) {
    for (const file of files(folder, 'attack-artifacts/*/*/*.json'))
      for (const one of (json(file).jailbreaks ?? []) as Fields[])
        if (typeof one.response === 'string')
          yield {
            set: 'jailbreakbench',
            family: familyOf(basename(file)),
            lang: 'en',
            text: one.response,
            label:
              one.jailbroken === true
                ? 'unlabelled'
                : /^.{0,40}(?:sorry|cannot|can't|apologi)/is.test(one.response)
                  ? 'likely_refusal'
                  : 'other',
          }
  },
  *'Reliable-Information-Lab-HEVS+Overrefusal_in_Criminal_Legal_Context'(folder) {
    for (const file of files(
      folder,
      'results/{english/main,english/new_qwen_gemma,french_german,old/multilingual_old}/*.csv',
    ))
      for (const [i, row] of rows(file).entries()) {
        const text = row.response_full || row.response_preview
        if (!text || row.is_error === 'True' || row.lang === undefined) continue
        // Their list of strings knows less of other languages, and of what it does not call a refusal some are enough.
        if (row.is_refused !== 'True' && (row.lang !== 'en' || i % 4 > 0)) continue
        yield {
          ...(row.response_full ? {} : { cut: true as const }),
          set: 'overrefusal-legal',
          family: familyOf(row.model ?? ''),
          lang: row.lang,
          text,
          label: row.is_refused === 'True' ? 'likely_refusal' : 'unlabelled',
        }
      }
  },
  *'tatsu-lab+alpaca_eval'(folder) {
    for (const file of files(folder, 'results/*/model_outputs.json'))
      for (const row of json(file) as Fields[])
        yield {
          set: 'alpaca_eval',
          family: familyOf(file.split('/').at(-2)!),
          lang: 'en',
          input: row.instruction,
          text: String(row.output),
          label: 'unlabelled',
        }
  },
  *'FreedomIntelligence+LLMZoo'(folder) {
    for (const file of files(folder, 'llmzoo/eval/answers/*.jsonl'))
      for (const row of lines(file))
        yield { set: 'llmzoo', family: familyOf(basename(file)), text: String(row.text), label: 'unlabelled' }
  },
  *'clinc+oos-eval'(folder) {
    for (const file of files(folder, 'data/data_full.json'))
      for (const list of Object.values(json(file) as Record<string, [string, string][]>))
        for (const [text] of list)
          yield { set: 'clinc', family: 'customers', lang: 'en', text, label: 'customer' }
  },
  *'google-research-datasets+Taskmaster'(folder) {
    for (const file of files(folder, 'TM-*/**/*.json'))
      for (const talk of listOf(json(file)) as { utterances?: { speaker: string; text: string }[] }[])
        for (const { speaker, text } of talk.utterances ?? [])
          if (/^user$/i.test(speaker))
            yield { set: 'taskmaster', family: 'customers', lang: 'en', text, label: 'customer' }
  },
}

/** The same answer twice teaches nothing, and would stand on both sides of a split. */
function unique(answers: Iterable<LabelledAnswer>): LabelledAnswer[] {
  const seen = new Map<string, LabelledAnswer>()
  for (const answer of answers) {
    const key = answer.text.trim().slice(0, 400)
    if (key !== '' && !seen.has(`${answer.family} ${answer.label} ${key}`))
      seen.set(`${answer.family} ${answer.label} ${key}`, answer)
  }
  return [...seen.values()]
}

/** In other languages (Thai and Yoruba are among the sources) the detector claims nothing. */
const isRead = ({ lang = 'en' }: LabelledAnswer) => lang in PHRASES

mkdirSync(data, { recursive: true })
for (const [repository, read] of Object.entries(SOURCES)) {
  const folder = join(sources, repository)
  if (!existsSync(folder)) {
    console.log(`${repository}: not in ${sources}`)
    continue
  }
  // XSTest is kept whole, as its figures are given over all answers.
  const all = [...read(folder)]
  const answers = repository.startsWith('paul-rottger') ? all : unique(all)
  const kept = answers.filter(isRead).map(one => JSON.stringify({ ...one, text: one.text.slice(0, 6000) }))
  writeFileSync(join(data, `${repository}.jsonl`), `${kept.join('\n')}\n`)
  console.log(`${repository}: ${kept.length}`)
}
