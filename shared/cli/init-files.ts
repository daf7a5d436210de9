// The files of a new agent project. Guarantee: its tests pass unchanged, and its items end ok.

export interface NewProject {
  /** The agent's name for people. */
  name: string
  slug: string
  /** The name of the agent's class. */
  class_name: string
  /** The version or file of Assay in the dependencies. */
  assay: string
  /** The versions of the packages that Assay itself uses, by name. */
  versions: Record<string, string>
}

export const projectFiles = (project: NewProject): Record<string, string> => ({
  'package.json': packageJson(project),
  'tsconfig.json': TSCONFIG,
  '.gitignore': 'node_modules\n.assay\n.env*\n.dev.vars*\n',
  'agent.ts': agent(project),
  'agent.test.ts': test(project),
  'items.jsonl': ITEMS,
  'README.md': readme(project),
})

function packageJson({ slug, assay, versions }: NewProject): string {
  const of = (...names: string[]) => Object.fromEntries(names.map(name => [name, `^${versions[name]}`]))
  const content = {
    name: slug,
    private: true,
    type: 'module',
    scripts: { test: 'assay test', deploy: 'assay deploy agent.ts --env OPENAI_API_KEY' },
    dependencies: { assay, ...of('openai', 'zod') },
    devDependencies: of('@types/node', 'node'), // what npm runs in the project uses its own Node, whatever the machine has
    allowScripts: { node: true, esbuild: true }, // both unpack their program for this machine
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "ES2024",
    "lib": ["ES2024", "ESNext.Disposable", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    "module": "NodeNext",
    "types": ["node"],
    "strict": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true,
    "noEmit": true
  }
}
`

const agent = ({ name, class_name }: NewProject) => `// Sorts a customer's message.

import { agent, type Context } from 'assay'
import OpenAI from 'openai'
import * as z from 'zod'

const Message = z.object({ id: z.string(), text: z.string().trim().min(1) })
const Sorting = z.object({ kind: z.enum(['question', 'complaint', 'praise', 'unsorted']), urgent: z.boolean() })

const MODEL = process.env.OPENAI_MODEL ?? 'gpt-5-mini'

@agent({
  name: ${JSON.stringify(name)},
  itemBudgetCents: 5,
  timeoutSeconds: 60,
  retries: 2,
  network: ['api.openai.com', '$OPENAI_BASE_URL'],
  input: Message,
  output: Sorting,
})
export default class ${class_name} {
  openai = new OpenAI({ maxRetries: 0 }) // Assay tries again, and pays for no step twice

  async run(ctx: Context, message: z.infer<typeof Message>): Promise<z.infer<typeof Sorting>> {
    const completion = await ctx.llm(
      'sort',
      {
        model: MODEL,
        messages: [
          { role: 'system', content: 'Sort the message of a customer.' },
          { role: 'user', content: message.text },
        ],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'sorting', strict: true, schema: z.toJSONSchema(Sorting) },
        },
      },
      request => this.openai.chat.completions.create(request, { signal: ctx.signal }),
    )
    const { message: answer, finish_reason } = completion.choices[0]!
    // Cut off, empty or refused: the verdict says so, read from the recorded answer.
    if (finish_reason !== 'stop' || !answer.content) return { kind: 'unsorted', urgent: false }
    return JSON.parse(answer.content)
  }
}
`

const test = ({ class_name }: NewProject) => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runItem, scripted } from 'assay/testing'
import ${class_name} from './agent.ts'

const input = { id: 'm-1', text: 'My order has not arrived, and I need it today!' }

test('sorts a message', async () => {
  const model = scripted([{ json: { kind: 'complaint', urgent: true } }])
  const result = await runItem(${class_name}, { input, model })
  assert.equal(result.status, 'completed')
  assert.equal(result.outcome.status, 'ok')
  assert.deepEqual(result.output, { kind: 'complaint', urgent: true })
  assert.ok(result.cost.usd < 0.01)
})

for (const [reason, answer] of [
  ['refusal', { refusal: 'I cannot help with that.' }],
  ['truncated', { text: '{"kind": "compl', finish: 'length' }],
  ['empty_output', ''],
] as const)
  test(\`is degraded, not failed: \${reason}\`, async () => {
    const result = await runItem(${class_name}, { input, model: scripted([answer]) })
    assert.equal(result.status, 'completed')
    assert.deepEqual([result.outcome.status, result.outcome.reason], ['degraded', reason])
  })

test('asks again when the model is overloaded', async () => {
  const model = scripted([{ status: 500 }, { json: { kind: 'question', urgent: false } }])
  const result = await runItem(${class_name}, { input, model })
  assert.equal(result.outcome.status, 'ok')
  assert.equal(result.attempts, 2)
})
`

/** Of new projects in every language. */
export const ITEMS = [
  'My order has not arrived, and I need it today!',
  'Which colours does the lamp come in?',
  'The new kettle is wonderful, thank you.',
  'I was charged twice for the same invoice.',
  'Can I change the address of my delivery?',
  'Your driver was very kind to my grandmother.',
]
  .map((text, at) => `${JSON.stringify({ id: `m-${at + 1}`, text })}\n`)
  .join('')

const readme = ({ name, slug }: NewProject) => `# ${name}

\`agent.ts\` is what runs over each item, \`agent.test.ts\` tests it without a server or a model, \`items.jsonl\` is a few examples.

\`\`\`sh
npm install
npm test
\`\`\`

On a machine with Node 20, \`npm install\` warns of engines (EBADENGINE). Ignore that: the project brings its own Node, which its scripts and commands use.

With Assay running, deploy the agent with your own key, which is passed on:

\`\`\`sh
export OPENAI_API_KEY=sk-…
npx --no assay deploy agent.ts --env OPENAI_API_KEY
\`\`\`

\`npx --no assay\` finds the \`npm start\` of the checkout that made this project by the link \`.assay\`. For any other server set ASSAY_BASE_URL to its address and ASSAY_API_KEY to one of its keys.

Without a key, a model server on your machine answers. \`npm start\` prints its two variables after \`model\`; write them behind \`--env\`:

\`\`\`sh
npx --no assay deploy agent.ts --env OPENAI_BASE_URL=http://127.0.0.1:PORT/v1 --env OPENAI_API_KEY=none
\`\`\`

Then run it over the examples:

\`\`\`sh
npx --no assay submit items.jsonl --agent ${slug} --item-id id --watch
npx --no assay triage                                         # what did not work
\`\`\`
`
