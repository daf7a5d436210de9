// Lists the files of public repositories with texts of customers, which the detector must not take for refusals of a model.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { LabelledAnswer } from './data.ts'
import { type Fields, files, json, listOf, type Sources } from './read.ts'

const said = (set: string, lang: string, text: unknown): LabelledAnswer => ({
  set,
  family: 'customers',
  lang,
  text: String(text),
  label: 'customer',
})

/** The files by repository. */
export const CUSTOMERS: Sources = {
  *'clinc+oos-eval'(folder) {
    for (const file of files(folder, 'data/data_full.json'))
      for (const list of Object.values(json(file) as Record<string, [string, string][]>))
        for (const [text] of list) yield said('clinc', 'en', text)
  },
  *'google-research-datasets+Taskmaster'(folder) {
    for (const file of files(folder, 'TM-*/**/*.json'))
      for (const talk of listOf(json(file)) as { utterances?: { speaker: string; text: string }[] }[])
        for (const { speaker, text } of talk.utterances ?? [])
          if (/^user$/i.test(speaker)) yield said('taskmaster', 'en', text)
  },
  // Takes both sides of the talk: an assistant of a company that cannot do something is no refusing model either.
  *'google-research-datasets+dstc8-schema-guided-dialogue'(folder) {
    for (const file of files(folder, '{train,dev,test}/dialogues_*.json'))
      for (const talk of json(file) as { turns: { speaker: string; utterance: string }[] }[])
        for (const { speaker, utterance } of talk.turns)
          yield said(speaker === 'USER' ? 'sgd' : 'sgd-assistants', 'en', utterance)
  },
  *'PolyAI-LDN+task-specific-datasets'(folder) {
    for (const file of files(folder, 'span_extraction/**/*.json'))
      for (const row of listOf(json(file)) as { userInput?: { text: string } }[])
        if (row.userInput) yield said('span-extraction', 'en', row.userInput.text)
    for (const file of files(folder, 'nlupp/data/*/fold*.json'))
      for (const row of listOf(json(file)) as Fields[]) yield said('nlupp', 'en', row.text)
  },
  // Its two archives must be unzipped.
  *'thu-coai+CrossWOZ'(folder) {
    for (const file of files(folder, 'data/crosswoz/{val,test}.json'))
      for (const { messages } of Object.values(json(file)) as { messages: Fields[] }[])
        for (const { content, role } of messages)
          yield said(role === 'usr' ? 'crosswoz' : 'crosswoz-assistants', 'zh', content)
  },
  *'mainlp+xsid'(folder) {
    for (const file of files(folder, 'data/xSID-0.7/*.{valid,test}.conll'))
      for (const [, text] of readFileSync(file, 'utf8').matchAll(/^# text = (.+)$/gm))
        yield said('xsid', basename(file).slice(0, 2), text)
  },
  *'t-systems-on-site-services-gmbh+NLU-Evaluation-Data-de-en'(folder) {
    for (const file of files(folder, 'raw_data/*.json'))
      for (const { s1, s2 } of json(file) as Fields[])
        for (const text of [s1, s2]) yield said('nlu-de', 'de', text)
  },
}
