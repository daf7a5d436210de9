// How large modules, files and functions are, and that nothing is packed to fit. What is counted is code: neither comments,
// blank lines and imports nor the rows of tables, so that a reason, a limit or a phrase more never fails. A function that is
// too large is listed here by name, and may only shrink.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MODULE_LINES = 2500
const FILE_LINES = 300
const FUNCTION_LINES = 50

/** Many small parts that share no state: the commands, the SDK and its tests. */
const UNBOUNDED = ['cli', 'sdk', 'testing']

/** Functions with more lines, and how many: pages that are one template, closures over the state of a process. */
const LONG: Record<string, number> = {
  'functions/dashboard/pages/account.tsx show': 63,
  'functions/dashboard/pages/deliveries.tsx show': 62,
  'functions/dashboard/pages/item-replay.tsx formView': 72,
  'functions/dashboard/pages/item.tsx show': 59,
  'functions/dashboard/pages/run-compare.tsx show': 65,
  'functions/dashboard/pages/run-grade.tsx show': 64,
  'functions/dashboard/pages/run-results.tsx show': 65,
  'functions/dashboard/pages/run-verify.tsx show': 57,
  'functions/dashboard/pages/run.tsx show': 110,
  'functions/dashboard/pages/runs.tsx show': 86,
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
  .filter(file => /\.tsx?$/.test(file) && !/\.(test|gen)\.tsx?$|^infra\/generated/.test(file))
const sources = files.map(file =>
  ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true),
)

describe('a line of code', () => {
  const count = (text: string) => codeLines(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true))

  it('is no comment, blank line or import', () => {
    expect(count("// why\nimport {\n  a,\n} from 'a'\n\n/** what\n */\nexport const b = a()\n")).toBe(1)
  })

  it('is no row of a table', () => {
    expect(count('export const LIMITS = {\n  /** why */\n  items: 10,\n  bytes: [1, 2],\n} as const\n')).toBe(
      1,
    )
    expect(count('const PHRASES = [\n  "a",\n  "b",\n]\n')).toBe(1)
  })

  it('is what a table computes, and every line of a statement in SQL', () => {
    expect(count('const RULES = {\n  empty: text =>\n    text === "",\n}\n')).toBe(4)
    expect(count('const rows = sql`\n  select a\n  from b`\n')).toBe(3)
  })
})

describe('a module', () => {
  it('has at most 2,500 lines of code', () => {
    const lines: Record<string, number> = {}
    for (const source of sources) {
      const [, module] = /^shared\/([\w-]+)\//.exec(source.fileName) ?? []
      if (module !== undefined) lines[module] = (lines[module] ?? 0) + codeLines(source)
    }
    const isTooLarge = ([module, n]: [string, number]) => !UNBOUNDED.includes(module) && n > MODULE_LINES
    expect(Object.entries(lines).filter(isTooLarge)).toEqual([])
  })
})

describe('a file', () => {
  it('has at most 300 lines of code', () => {
    const larger = sources.map(source => [source.fileName, codeLines(source)] as const)
    expect(larger.filter(([, n]) => n > FILE_LINES)).toEqual([])
  })

  it('is not packed: no object spreads a literal, which only keeps its fields on one line', () => {
    const packed: string[] = []
    for (const source of sources)
      each(source, node => {
        if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression))
          packed.push(`${source.fileName}:${lineOf(source, node.getStart())}`)
      })
    expect(packed).toEqual([])
  })
})

describe('a function', () => {
  const found: Record<string, number> = {}
  for (const source of sources)
    each(source, node => {
      if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return
      const lines = codeLines(source, node)
      if (lines > FUNCTION_LINES) found[`${source.fileName} ${nameOf(node)}`] = lines
    })

  it('has at most 50 lines of code, or no more than it had', () => {
    const longer = Object.entries(found).filter(([name, lines]) => lines > (LONG[name] ?? FUNCTION_LINES))
    expect(longer).toEqual([])
  })

  it('leaves the list of long ones once it is short enough', () => {
    expect(Object.keys(LONG).filter(name => found[name] === undefined)).toEqual([])
  })
})

/** Lines of a node that hold a token, but for imports and rows of tables. */
function codeLines(source: ts.SourceFile, node: ts.Node = source): number {
  const lines = new Set<number>()
  const visit = (child: ts.Node): void => {
    if (ts.isImportDeclaration(child) || ts.isJSDoc(child)) return
    if (isTable(child)) lines.add(lineOf(source, child.getStart()))
    else if (child.getChildCount(source) === 0) addAll(child)
    else for (const inner of child.getChildren(source)) visit(inner)
  }
  const addAll = (token: ts.Node): void => {
    if (token.end === token.getStart()) return
    const last = lineOf(source, token.end)
    for (let line = lineOf(source, token.getStart()); line <= last; line++) lines.add(line)
  }
  visit(node)
  return lines.size
}

/** The value of a variable of the module, if it is literals alone, however deep: nothing in them is computed when used. */
function isTable(node: ts.Node): boolean {
  if (ts.isSourceFile(node) || !ts.isVariableDeclaration(node.parent) || node.parent.initializer !== node)
    return false
  if (!ts.isSourceFile(node.parent.parent.parent.parent)) return false
  let value = node
  while (ts.isAsExpression(value) || ts.isSatisfiesExpression(value)) value = value.expression
  if (!ts.isObjectLiteralExpression(value) && !ts.isArrayLiteralExpression(value)) return false
  let isData = true
  each(value, inner => {
    if (ts.isFunctionLike(inner) || ts.isCallExpression(inner)) isData = false
  })
  return isData
}

function each(node: ts.Node, act: (node: ts.Node) => void): void {
  act(node)
  ts.forEachChild(node, child => each(child, act))
}

const lineOf = (source: ts.SourceFile, at: number) => source.getLineAndCharacterOfPosition(at).line + 1

/** Its own name, or that of what it is assigned to. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText()
  const { parent } = node
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)
    ? parent.name.getText()
    : '(unnamed)'
}
