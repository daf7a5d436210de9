// Generates the page about the sandbox: what code in it cannot do, and what people do instead. Guarantee: it has every limit
// that an error of a deploy or of an item names.

import { LACKS, PACKAGE_LIMITS } from '../shared/cli/sandbox-packages.ts'
import { LIMITS } from '../shared/kernel/limits.ts'
import { SANDBOX_LIMITS } from '../shared/sdk/sandbox-limits.ts'
import { TEXT_ENDINGS } from '../shared/sdk/text-files.ts'

export function sandboxPage(): string {
  const code = SANDBOX_LIMITS.map(({ what, instead }) => row(upper(what), upper(instead)))
  const packages = PACKAGE_LIMITS.map(({ packages, lack, instead }) =>
    row(packages.map(name => `\`${name}\``).join(', '), LACKS[lack], upper(instead)),
  )
  return `${[
    HEAD,
    ['| does not work | instead |', '|---|---|', ...code].join('\n'),
    PACKAGES,
    ['| packages | what they do | instead |', '|---|---|---|', ...packages].join('\n'),
    FILES,
    REST,
  ].join('\n\n')}\n`
}

const row = (...cells: string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
const upper = (text: string) => text[0]!.toUpperCase() + text.slice(1)

const HEAD = `<!-- Made by npm run generate from the tables that errors are made of. -->
# What the sandbox cannot do

An agent in a file (\`assay deploy agent.ts\`) is bundled and runs in [workerd](https://github.com/cloudflare/workerd), a process for each deployment, which reaches the declared hosts and nothing else. It has fetch, streams, timers, crypto, \`Buffer\`, \`zlib\`, \`AsyncLocalStorage\`, \`process.env\` and most else that Node has. It lacks what follows.

- **A deploy loads the bundle once**, where its items will run: without a network, within ${LIMITS.bundle_load_ms / 1000} s, with the variables of \`--env\`. What cannot load is refused (\`load_failed\`, \`load_timeout\`) with your file, the line and the way out.
- **\`assay test --sandbox\`** runs your tests there: the agent is bundled as for a deploy, its calls are answered by the test as ever. It needs \`workerd\` in the project.
- **What fails in run()** fails its item with the way out in its message.
- **An agent behind a URL** has none of these limits: \`assay package agent.ts\` writes a folder that runs it in Node, [PROTOCOL.md](PROTOCOL.md) is for other languages.

## In code`

const PACKAGES = `## Packages

Most packages work. These do not, or not as their own pages show them. \`assay deploy\` names the line if one of them keeps a bundle from loading.`

const FILES = `## Files that an agent imports

\`\`\`ts
import prompt from './prompt.md'
import labels from './labels.toml' with { type: 'text' }
import limits from './limits.json'
\`\`\`

The first is text by its ending: ${TEXT_ENDINGS.map(one => `\`.${one}\``).join(', ')}. Any other file is with \`with { type: 'text' }\`. It has to be UTF-8, and loses a byte order mark. JSON is its value. The bundle holds them, up to ${LIMITS.agent_bundle_bytes / 2 ** 20} MiB in all. The same imports work in \`assay test\`, and \`assay\` has the types of those endings; with Vitest the plugin \`agents()\` reads them, by their ending alone.`

const REST = `## What is different, and works

- **The clock at module level** is that of the moment in which the process began, as in Node. A process lives as long as items come, so a date that has to be today's belongs in run().
- **Templates and schemas compiled at module level** work, also those that use \`eval\`.
- **Clients of AWS** work as AWS shows them: a deploy gives them the handler that sends by fetch. Keys come with \`--env AWS_ACCESS_KEY_ID --env AWS_SECRET_ACCESS_KEY\`, hosts in \`network\`.
- **Items share a process**, and module variables with it. Share values, not connections.
- **\`import.meta.url\`** is \`file:///bundle/agent.mjs\`, where no file is.`
