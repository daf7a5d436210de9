// Makes the demo model's answers: it classifies, fills a JSON Schema, drafts a reply or picks out a summary.

import type { Classifier } from './classifier.ts'
import { hashOf } from './fate.ts'

export interface Prompt {
  system: string
  /** The last message of the user. */
  text: string
  /** A JSON Schema to fill, `true` for JSON of the model's choice, `false` for plain text. */
  json: JsonSchema | boolean
}

export interface JsonSchema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  minimum?: number
  maximum?: number
}

const URGENT = /\b(urgent|immediately|asap|stolen|hacked|lost|emergency|help|now|today|crash\w*|down)\b|!/gi
const LEVELS = ['low', 'normal', 'medium', 'high', 'urgent']

export class Model {
  #classifier: Classifier
  constructor(classifier: Classifier) {
    this.#classifier = classifier
  }

  answer({ system, text, json }: Prompt): string {
    if (json === true) return JSON.stringify({ ...this.#best(text), summary: summaryOf(text) })
    if (json !== false) return JSON.stringify(this.#fill(json, '', text))
    if (/summar/i.test(system) || /^summar/i.test(text)) return summaryOf(text)
    return this.#reply(system, text)
  }

  #best(text: string, among?: unknown[]): { category: string; confidence: number } {
    const probabilities = this.#classifier.probabilities(text)
    let best = { category: '', confidence: -1 }
    this.#classifier.categories.forEach((category, index) => {
      const confidence = probabilities[index]!
      if (confidence > best.confidence && (among?.includes(category) ?? true)) best = { category, confidence }
    })
    return { ...best, confidence: Math.round(best.confidence * 100) / 100 }
  }

  #fill(schema: JsonSchema, name: string, text: string): unknown {
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return this.#choose(schema.enum, name, text)
    if (schema.anyOf) return this.#fill(schema.anyOf[0] ?? {}, name, text)
    switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([key, part]) => [key, this.#fill(part, key, text)]),
        )
      case 'array':
        return schema.items ? [this.#fill(schema.items, name, text)] : []
      case 'boolean':
        return urgencyOf(text) > 0
      case 'integer':
      case 'number':
        return this.#number(schema, name, text)
      case 'string':
        return /summary|title/i.test(name) ? summaryOf(text) : this.#reply('', text)
      default:
        return null
    }
  }

  #choose(options: unknown[], name: string, text: string): unknown {
    const { category } = this.#best(text, options)
    if (category !== '') return category
    const levels = LEVELS.filter(level => options.includes(level))
    if (levels.length > 1) {
      const normal = Math.max(levels.indexOf('normal'), levels.indexOf('medium'), 0)
      return levels[Math.min(normal + urgencyOf(text), levels.length - 1)]
    }
    return options[hashOf(name + text) % options.length]
  }

  #number({ type, minimum = 0, maximum = 100 }: JsonSchema, name: string, text: string): number {
    if (/confidence|probability|score/i.test(name)) return this.#best(text).confidence
    const value = minimum + (hashOf(name + text) / 2 ** 32) * (maximum - minimum)
    return type === 'integer' ? Math.floor(value) : Math.round(value * 100) / 100
  }

  /** Thanks, the topic, and the policy if the instructions contain one. */
  #reply(system: string, text: string): string {
    const topic = this.#best(text).category.replaceAll('_', ' ')
    const policy = /policy:\s*(.+)/i.exec(system)?.[1]
    const about = topic === 'other' ? 'getting in touch' : `your message about ${topic}`
    return [`Thank you for ${about}.`, policy, 'Just reply here if anything is left open.']
      .filter(Boolean)
      .join(' ')
  }
}

/** 0 for calm, 1 for pressing, 2 for alarming. */
function urgencyOf(text: string): number {
  const signs = text.match(URGENT)?.length ?? 0
  return signs > 2 ? 2 : signs > 0 ? 1 : 0
}

/** The sentences whose words come up most often in the text, at most two, in their own order. */
function summaryOf(text: string): string {
  const sentences =
    text
      .match(/[^.!?\n]+[.!?]*/g)
      ?.map(sentence => sentence.trim())
      .filter(Boolean) ?? []
  const counts = new Map<string, number>()
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const weighed = sentences.map((sentence, index) => {
    const words = wordsOf(sentence)
    return {
      index,
      sentence,
      weight: words.reduce((sum, word) => sum + counts.get(word)!, 0) / (words.length + 3),
    }
  })
  const chosen = weighed.sort((a, b) => b.weight - a.weight || a.index - b.index).slice(0, 2)
  return chosen
    .sort((a, b) => a.index - b.index)
    .map(({ sentence }) => sentence)
    .join(' ')
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}{4,}/gu) ?? []
}

/** Counts a token for up to six letters of a word and one for each sign, which is near real tokenizers on English. */
export function tokensOf(text: string): number {
  return text.match(/[\p{L}\p{N}]{1,6}|[^\s\p{L}\p{N}]/gu)?.length ?? 0
}
