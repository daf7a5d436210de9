// Reads declared schemas and checks values against them. Guarantee: a check ends after a bounded number of steps, with the
// same answer on every machine; nothing is fetched or compiled to code, so it runs where code cannot be made from text.

import { type CompiledSchema, Validation } from '@hyperjump/json-schema/experimental'
import * as Instance from '@hyperjump/json-schema/instance/experimental'
import { LIMITS } from '../../kernel/limits.ts'
import { SCHEMAS, type SchemaAnswer, type SchemaEngine } from '../vocabulary.ts'
import { compiledSchema, draftSchema } from './compiled-schema.ts'
import { StepsSpent, spendOnCopy, within } from './meter.ts'
import { Mismatches } from './mismatches.ts'
import { Refusal, treeOf } from './schema-tree.ts'

export const engine: SchemaEngine = async (schema, name) => {
  try {
    const tree = treeOf(schema, name)
    await checkAgainstDraft(schema, tree.dialect, name)
    const compiled = await compiledSchema(schema, tree, name)
    return { read: { check: value => check(compiled, value, SCHEMAS[name]) } }
  } catch (error) {
    if (error instanceof Refusal) return { fault: error.fault }
    throw error
  }
}

const drafts = new Map<string, CompiledSchema>()

/** @throws Refusal */
async function checkAgainstDraft(schema: unknown, dialect: string, path: string): Promise<void> {
  const draft = drafts.get(dialect) ?? (await draftSchema(dialect))
  drafts.set(dialect, draft)
  const answer = check(draft, schema, path, LIMITS.schema_read_steps)
  if (answer === undefined) return
  const [first = path, ...words] = 'problem' in answer ? answer.problem.split(': ') : [path, answer.over]
  throw new Refusal({
    path: first,
    message: words.join(': '),
    hint: `The schema is of the draft ${dialect}.`,
  })
}

function check(
  compiled: CompiledSchema,
  value: unknown,
  what: string,
  steps: number = LIMITS.schema_check_steps,
): SchemaAnswer {
  try {
    const isValid = within(steps, () => {
      spendOnCopy(value)
      return evaluate(compiled, value)
    })
    return isValid ? undefined : { problem: whatIsWrong(compiled, value, what) }
  } catch (error) {
    // Parts that refer on and on, within a value that is nested deeply, take more stack than there is.
    if (!(error instanceof StepsSpent) && !(error instanceof RangeError)) throw error
    return { over: overText(what, steps) }
  }
}

const overText = (what: string, steps: number) =>
  `${what}: was not checked to its end, since that takes more than ${steps} steps; declare a simpler schema, or a smaller ${what}`

function evaluate({ ast, schemaUri }: CompiledSchema, value: unknown, mismatches?: Mismatches): boolean {
  const plugins = mismatches ? [...ast.plugins, mismatches] : [...ast.plugins]
  return Validation.interpret(schemaUri, Instance.fromJs(value as never), { ast, plugins })
}

/** Looks once more, and notes what did not match where; only a value that does not match pays for that. */
function whatIsWrong(compiled: CompiledSchema, value: unknown, what: string): string {
  const mismatches = new Mismatches(what)
  try {
    within(LIMITS.schema_check_steps, () => evaluate(compiled, value, mismatches))
  } catch (error) {
    if (!(error instanceof StepsSpent) && !mismatches.isFull) throw error
  }
  return mismatches.text()
}
