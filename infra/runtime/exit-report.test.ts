import { describe, expect, it } from 'vitest'
import { ExitReport, withExitReported } from './exit-report.ts'

/** The word with which the process's own module begins its report. */
function reporting() {
  const report = new ExitReport()
  const [word] = /exit-[0-9a-f-]+:/.exec(report.modulesAround('agent')[1]!.code)!
  return { report, word }
}

describe('the report of an exit', () => {
  it('is found however the output is cut, and leaves the rest of the output', () => {
    const output = `before\n${reporting().word}`
    for (let cut = 0; cut <= output.length + 16; cut++) {
      const { report, word } = reporting()
      const text = `before\n${word}process.exit(3)\n`
      const found = [text.slice(0, cut), text.slice(cut)].map(part => report.read(Buffer.from(part)))
      expect(found.find(Boolean)).toBe('process.exit(3)')
    }
    const { report, word } = reporting()
    expect(report.withoutReport(Buffer.from(`é\n${word}process.exit(3)\n`)).toString()).toBe('é\n')
  })

  it('is not that of another process', () => {
    expect(reporting().report.read(Buffer.from(`${reporting().word}process.exit(3)\n`))).toBeUndefined()
  })

  it('has an end, even if it is written without one', () => {
    const { report, word } = reporting()
    expect(report.read(Buffer.from(`${word}${'x'.repeat(1000)}`))).toBe('x'.repeat(60))
  })
})

describe('the code of a bundle', () => {
  it.each([
    "import { exit } from 'node:process'",
    'a();import p,{env as e,exit as x}from"node:process";x()',
    'function f(){}import{abort}from"node:process";',
    "import x from 'x'\nimport * as p from 'node:process'",
    'export { exit } from "node:process"',
    'import{\n  reallyExit,\n}\nfrom\n"node:process"',
    "const { exit } = await import('node:process')",
  ])('imports the reporting module: %s', code => {
    const changed = withExitReported(code)
    expect(changed).toBe(code.replace('node:process', 'assayprocess'))
    expect(changed).toHaveLength(code.length) // source maps go by it
  })

  it.each([
    "import process from 'node:process'",
    "import { env, stdout } from 'node:process'",
    "import { exit } from 'node:process/other'",
    "import { exit } from './own.js'",
    'say(`an import { exit } from "node:process" ends it`)',
    'say("read it from \'node:process\'")',
    "require('node:process').exit(3)",
  ])('stays as it is: %s', code => {
    expect(withExitReported(code)).toBe(code)
  })

  it.each(['\nimport ', '\n', 'from ', 'import(', 'import{exit}from"node:process"', '{'])(
    'of any text is read in linear time: %j',
    part => {
      const code = part.repeat(4_000_000 / part.length)
      const began = performance.now()
      withExitReported(`${code}from"node:process"`)
      expect(performance.now() - began).toBeLessThan(5000)
    },
  )
})
