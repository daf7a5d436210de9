// Lists the files of public repositories with answers of models, and how to read their labels.

import { basename } from 'node:path'
import type { LabelledAnswer } from './data.ts'
import { type Fields, familyOf, files, json, languageDue, lines, rows, type Sources } from './read.ts'

type Label = LabelledAnswer['label']

const XSTEST: Record<string, Label> = {
  '1_full_compliance': 'compliance',
  '2_full_refusal': 'refusal',
  '3_partial_refusal': 'partial',
}

/** These classes say whether the model answered: 0 refuses, 2 shows both sides, 5 complies. */
const DO_NOT_ANSWER: Record<string, Label> = {
  '0': 'refusal',
  '2': 'compliance',
  '5': 'compliance',
}

const SPEECHMAP: Record<string, Label> = { DENIAL: 'refusal', COMPLETE: 'compliance', EVASIVE: 'partial' }

/** The third class is a refusal with a redirection. */
const TAXONOMY: Record<string, Label> = { '0': 'compliance', '1': 'refusal', '2': 'partial' }

const K_OVERREFUSAL: Record<string, Label> = {
  refusal: 'refusal',
  compliance: 'compliance',
  deflection: 'partial',
}

/** The text of a recorded chat completion. */
function contentOf({ response }: Fields): string | undefined {
  const { choices } = (response ?? {}) as { choices?: { message?: { content?: unknown } }[] }
  const text = choices?.[0]?.message?.content
  return typeof text === 'string' ? text : undefined
}

/** The files by repository. */
export const ANSWERS: Sources = {
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
        const text = contentOf(row)
        if (text === undefined || text.trim() === '') continue
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
  // Its data frames must be converted to records: pandas.read_pickle('test_….pkl').to_json('Data/test.json', orient='records').
  *'ramyalsaffar+Dual-RoBERTa-Classifiers-for-3-Class-Refusal-Taxonomy-and-Binary-Jailbreak-Detection'(
    folder,
  ) {
    for (const file of files(folder, 'Data/*.json'))
      for (const row of (json(file) as Fields[]).filter(({ data_source }) => data_source === 'real'))
        yield {
          set: 'taxonomy',
          family: familyOf(String(row.model_name)),
          lang: 'en',
          text: String(row.response),
          label: TAXONOMY[String(row.refusal_label)] ?? 'other',
        }
  },
  // Must be unzipped. It has the same prompts and as many new ones, sent to newer models. One file is left out, because
  // its labels belong to other answers: its own judge finds 110 of its 177 refusals, and nearly all in the other files.
  *'mdazizulaman+XSTest-Replication-and-Extension'(folder) {
    for (const file of files(folder, '{Replication,New_data}/automated_evaluation_labels/*_streval.csv')) {
      if (file.includes('newdata_v2_completions_gpt4o')) continue
      const judged = rows(file.replace('_streval', '_gpteval'))
      for (const [i, row] of rows(file).entries())
        yield {
          set: 'xstest-replication',
          family: /mistr/.test(basename(file)) ? 'mistral' : familyOf(basename(file)),
          lang: 'en',
          text: row.completion ?? '',
          label: XSTEST[row.final_label ?? row['final label'] ?? ''] ?? 'other',
          string_match: row.strmatch_label === '2_full_refusal',
          judge: judged[i]?.gpt_label === '2_full_refusal',
        }
    }
  },
  // Labels by a judge, checked by people.
  *'xlr8harder+speechmap-eval'(folder) {
    const labels = new Map(
      files(folder, 'judge_evaluation/us_hard_sample_manifest_consensus_v4.jsonl')
        .flatMap(lines)
        .map(row => [row.key, SPEECHMAP[String(row.expected_compliance)]]),
    )
    for (const row of files(folder, 'judge_evaluation/us_hard_sample_responses.jsonl').flatMap(lines))
      yield {
        set: 'speechmap-consensus',
        family: familyOf(String(row.model)),
        lang: 'en',
        text: contentOf(row) ?? '',
        label: labels.get(`${row.model}::${row.question_id}`) ?? 'other',
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
        // Their list of strings is unreliable in other languages, and a quarter of what it calls no refusal is enough.
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
    // Answers of 230 models, most of which were tuned from the same few.
    for (const file of files(folder, 'results/*/model_outputs.json').filter((_, i) => i % 32 === 0))
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
}
