// How large modules and functions are. A function that is too large is listed here by name, and may only shrink.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MODULE_LINES = 2500
const FUNCTION_LINES = 50

/** The commands, the SDK and its tests. */
const UNBOUNDED = ['cli', 'sdk', 'testing']

/** Functions with more lines, and how many: pages that are one template, closures over the state of a process. */
const LONG: Record<string, number> = {
  'functions/dashboard/pages/account.tsx show': 63,
  'functions/dashboard/pages/deliveries.tsx show': 62,
  'functions/dashboard/pages/item-replay.tsx formView': 72,
  'functions/dashboard/pages/item.tsx show': 59,
  'functions/dashboard/pages/overview.tsx show': 62,
  'functions/dashboard/pages/run-compare.tsx show': 65,
  'functions/dashboard/pages/run-grade.tsx show': 64,
  'functions/dashboard/pages/run-results.tsx show': 65,
  'functions/dashboard/pages/run-verify.tsx show': 57,
  'functions/dashboard/pages/run.tsx show': 110,
  'functions/dashboard/pages/runs.tsx show': 86,
  'functions/dashboard/pages/search.tsx SearchForm': 57,
  'functions/dashboard/pages/sign-in.tsx form': 51,
  'functions/dashboard/pages/triage.tsx show': 73,
  'functions/dashboard/pages/verdicts.tsx show': 63,
  'functions/dashboard/parts/attention.tsx Attention': 75,
  'functions/dashboard/parts/chart-days.tsx ChartDays': 87,
  'functions/dashboard/parts/inbox.tsx Inbox': 57,
  'functions/dashboard/parts/item-actions.tsx ItemActions': 70,
  'functions/dashboard/parts/run-items.tsx RunItems': 65,
  'functions/dashboard/shell/app.tsx serveParts': 115,
  'functions/dashboard/shell/layout.tsx Menu': 92,
  'infra/local/start.ts start': 86,
  'infra/node/connections.ts openReadConnections': 59,
  'infra/node/consumer.ts startConsumer': 51,
  'infra/node/context.ts createContext': 67,
  'infra/node/function.ts serve': 64,
  'infra/node/server.ts startServer': 69,
  'infra/notify.ts createNotifier': 70,
  'infra/runtime/http-client.ts (unnamed)': 61,
  'infra/runtime/http-client.ts send': 63,
  'infra/runtime/invoker.ts createInvoker': 80,
  'infra/targets/routes.ts nginxFile': 54,
  'infra/targets/values.ts ofImage': 70,
  'infra/targets/workerd.ts config': 58,
  'infra/workerd/unit.ts workerOf': 78,
  'shared/cli/completion-scripts.ts fishScript': 78,
  'shared/cli/output.ts createOutput': 56,
  'shared/cli/package-files.ts knativeService': 58,
  'shared/http/endpoint.ts endpoint': 52,
  'shared/http/request-trace.ts traceRequest': 53,
  'shared/recovery/queries/replay.ts copyItems': 54,
  'shared/sdk/client.ts createClient': 76,
  'shared/sdk/serve.ts work': 66,
}

const files = execFileSync('git', ['ls-files', 'shared', 'functions', 'infra'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => /\.tsx?$/.test(file) && !/\.(test|gen)\.ts$|^infra\/generated/.test(file))
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('a module', () => {
  const lines: Record<string, number> = {}
  for (const file of files) {
    const [, module] = /^shared\/([\w-]+)\//.exec(file) ?? []
    if (module !== undefined) lines[module] = (lines[module] ?? 0) + textOf(file).split('\n').length - 1
  }

  it('has at most 2,500 lines', () => {
    const tooLarge = Object.entries(lines).filter(
      ([module, n]) => !UNBOUNDED.includes(module) && n > MODULE_LINES,
    )
    expect(tooLarge).toEqual([])
  })
})

describe('a function', () => {
  const found: Record<string, number> = {}
  for (const file of files) {
    const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true)
    const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line + 1
    const visit = (node: ts.Node): void => {
      const lines = lineOf(node.end) - lineOf(node.getStart()) + 1
      if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined && lines > FUNCTION_LINES)
        found[`${file} ${nameOf(node)}`] = lines
      ts.forEachChild(node, visit)
    }
    visit(source)
  }

  it('has at most 50 lines, or no more than it had', () => {
    const longer = Object.entries(found).filter(([name, lines]) => lines > (LONG[name] ?? FUNCTION_LINES))
    expect(longer).toEqual([])
  })

  it('leaves the list of long ones once it is short enough', () => {
    expect(Object.keys(LONG).filter(name => found[name] === undefined)).toEqual([])
  })
})

/** Its own name, or that of what it is assigned to. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText()
  const { parent } = node
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)
    ? parent.name.getText()
    : '(unnamed)'
}
