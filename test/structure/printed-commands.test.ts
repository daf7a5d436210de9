// The command line parses every command that any text of the product prints: in documentation, in strings of the
// source, and in alerts and digests. Commands on pages are in test/integration/dashboard/commands.test.ts.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { scheduleMissed } from '../../shared/alerts/rules/alerts.ts'
import { optionsOf, parse } from '../../shared/cli/arguments.ts'
import { COMMANDS } from '../../shared/cli/commands.ts'
import { OCCURRENCE_REASONS } from '../../shared/schedules/vocabulary.ts'

const ROOT = join(import.meta.dirname, '../..')
const files = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)

interface Printed {
  where: string
  /** As it is printed, with a value where one is inserted. */
  text: string
  /** In a sentence: options may lack their values, and arguments may be missing. */
  mentioned: boolean
}

const STARTS = /^(?:\$ )?(?:npx --no )?assay (?=[a-z])/
/** Sentences about the program itself. */
const ABOUT_ITSELF = /^assay (?:does|ended|needs) /
/** Commands that alerts name and that are still to come. */
const TO_COME = /^assay prices /

/** The commands of a shell line, without its comment, its pipes and what follows them. */
function inShell(line: string): string[] {
  const plain = line.replace(/\s+#\s.*$/, '').replaceAll(/\$\([^)]*\)/g, '1')
  return plain
    .split(/\s(?:&&|\|\|?|[;<>])\s/)
    .map(part => part.trim())
    .filter(part => STARTS.test(part) && !ABOUT_ITSELF.test(part) && !TO_COME.test(part))
}

/** Commands within a text: whole lines of it, and text between backquotes. */
function within(where: string, text: string): Printed[] {
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n')
  const whole = lines.flatMap(line => inShell(line.trim())).map(text => ({ where, text, mentioned: false }))
  const quoted = [...text.matchAll(/`((?:npx --no )?assay [a-z][^`\n]*)`/g)].map(([, text]) => ({
    where,
    text: text!.replace(/ \\?\|.*/, ''),
    mentioned: true,
  }))
  return [...whole, ...quoted.filter(one => !ABOUT_ITSELF.test(one.text))]
}

/** Commands in fenced blocks, and in code within sentences. */
function ofMarkdown(file: string): Printed[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const blocks = [...text.matchAll(/^```.*\n([\s\S]*?)^```/gm)].map(([, block]) => block!)
  const prose = text.replaceAll(/^```.*\n[\s\S]*?^```/gm, '')
  return [
    ...blocks.flatMap(block => within(file, block).filter(one => !one.mentioned)),
    ...within(file, prose).filter(one => one.mentioned),
  ]
}

/** Commands in strings, templates and text of pages; the name of the program may be inserted, like any value. */
function ofSource(file: string): Printed[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const found: Printed[] = []
  const visit = (node: ts.Node): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
    const text = textOf(node)
    // A part of a list is joined with others, and text of a page with its neighbours.
    const isPart = ts.isJsxText(node) || ts.isArrayLiteralExpression(node.parent ?? node)
    const printed = text === undefined ? [] : within(`${file}:${line}`, text)
    found.push(...printed.map(one => (isPart ? { ...one, mentioned: true } : one)))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isJsxText(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.templateSpans.reduce((text, { expression, literal }) => {
    const isProgram = /\bprogram$/.test(expression.getText())
    // A value right after a word adds to it, or adds options.
    const filled = isProgram ? 'assay' : /[\s"'/=]$|^$/.test(text) ? '1' : ''
    return text + filled + literal.text
  }, node.head.text)
}

/** Splits a line as a shell does: quotes hold a word together. */
const wordsOf = (line: string) =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, one) => single ?? double ?? one),
  )

/** Why the command line would refuse it; undefined if it would not. */
function problemOf({ text, mentioned }: Printed): string | undefined {
  const words = wordsOf(text.replace(STARTS, ''))
  if (!mentioned) {
    try {
      parse(COMMANDS, words)
      return undefined
    } catch (error) {
      const { message } = error as Error
      // An inserted value may be any of its choices.
      return /is "1"; it must be one of/.test(message) ? undefined : message
    }
  }
  const known = COMMANDS.filter(({ name }) => name.split(' ').every((part, i) => words[i] === part))
  const command = known.toSorted((a, b) => b.name.length - a.name.length)[0]
  if (command === undefined) return 'there is no such command'
  const options = optionsOf(command).map(option => option.name)
  const unknown = words.filter(word => word.startsWith('--')).map(word => word.slice(2).split('=')[0]!)
  const strange = unknown.filter(name => !options.includes(name))
  return strange.length > 0 ? `it has no option ${strange.join(', ')}` : undefined
}

const problems = (printed: readonly Printed[]) =>
  printed.flatMap(one => {
    const problem = problemOf(one)
    return problem === undefined ? [] : [`${one.where}: ${one.text}: ${problem}`]
  })

it('commands in documentation are valid', () => {
  const printed = files('*.md', ':!CHANGELOG.md').flatMap(ofMarkdown)
  expect(printed.length).toBeGreaterThan(50)
  expect(problems(printed)).toEqual([])
})

it('commands in strings of the source are valid: in alerts, digests, hints, pages, the demo and new projects', () => {
  const printed = files('shared/*.ts', 'functions/*.ts', 'functions/*.tsx', 'infra/*.ts', 'examples/*.ts')
    .filter(file => !/\.(test|gen)\.ts$/.test(file))
    .flatMap(ofSource)
  expect(printed.length).toBeGreaterThan(60)
  expect(problems(printed)).toEqual([])
})

it('commands of alerts about missed schedules are valid, with their ids', () => {
  const occurrence = {
    project_id: 'p',
    agent_id: 'a',
    agent_slug: 'nightly',
    schedule_id: 's',
    run_id: 'r',
    name: null,
    cron: '0 2 * * *',
    timezone: 'UTC',
    scheduled_for: new Date(0),
    detail: null,
  }
  const printed = OCCURRENCE_REASONS.flatMap(reason => {
    const alert = scheduleMissed({ ...occurrence, reason })
    return alert === null ? [] : within(reason, alert.command)
  })
  expect(printed.length).toBeGreaterThan(8)
  expect(problems(printed)).toEqual([])
})

it.each([
  ['npx --no assay clusters --run x', '--run'],
  ['assay triage --runs', 'runs'],
  ['assay nothing', 'nothing'],
  ['assay item', 'ITEM is missing'],
])('%s is found to be invalid', (text, word) => {
  expect(problemOf({ where: '', text, mentioned: false })).toContain(word)
})
