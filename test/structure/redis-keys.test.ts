// Installations that share a Redis are told apart by what its keys begin with, so only shared/redis sends commands, and
// only keyOf builds a name there. Which names arrive at a server is tested in test/integration/redis/installations.test.ts.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
/** What a client does that names no key. */
const KEYLESS = ['connect', 'disconnect', 'duplicate', 'info', 'on', 'once', 'ping', 'quit']
/** The names of constants and functions whose value comes from keyOf. */
const BUILDERS = /^(keyOf|channelOf|channel|turnsOf|markOf|awake|called)\b/

const files = execFileSync('git', ['ls-files', 'shared', 'functions', 'infra'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => /\.tsx?$/.test(file) && !/\.(test|gen)\.tsx?$/.test(file))

interface Sent {
  file: string
  command: string
  args: string[]
}

/** Each call of a method of something that is called `redis` or `subscriber`, as `ctx.redis` is. */
function sentBy(file: string): Sent[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const sent: Sent[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const of = node.expression.expression.getText().split('.').at(-1)!
      const command = node.expression.name.text
      if (/^(redis|subscriber)$/.test(of) && !KEYLESS.includes(command))
        sent.push({ file, command, args: node.arguments.map(one => one.getText()) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return sent
}

const all = files.flatMap(sentBy)

it('only shared/redis sends commands that name keys or channels', () => {
  expect(all.filter(({ file }) => !file.startsWith('shared/redis/'))).toEqual([])
  expect(new Set(all.map(({ command }) => command))).toEqual(
    new Set(['eval', 'get', 'set', 'zrem', 'publish', 'subscribe']),
  )
})

it('every key and channel is built by keyOf', () => {
  const named = all.map(({ command, args, ...at }) => ({
    ...at,
    // EVAL SCRIPT, how many keys, the keys
    keys: command === 'eval' ? args.slice(2, 2 + Number(args[1])) : args.slice(0, 1),
  }))
  expect(named.every(({ keys }) => keys.length > 0)).toBe(true)
  expect(named.filter(({ keys }) => !keys.every(key => BUILDERS.test(key)))).toEqual([])
})

it('no other file writes what a key begins with', () => {
  const begins = /['"`]\{?assay:/
  const writing = files.filter(file => begins.test(readFileSync(join(ROOT, file), 'utf8')))
  expect(writing).toEqual(['shared/schemas/rules/compiled-schema.ts']) // a keyword of a schema
})
