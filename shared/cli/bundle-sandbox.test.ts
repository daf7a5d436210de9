// What a bundle does with imports, and what is said about one that does not load in the sandbox.

import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { TEXT_ENDINGS } from '../sdk/text-files.ts'
import { bundleAgent } from './bundle.ts'
import { aboutPackage, PACKAGE_LIMITS } from './sandbox-packages.ts'

let folder: string
beforeAll(async () => {
  folder = (await tempFolder()).path
})
afterAll(() => rm(folder, { recursive: true }))

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

let made = 0
/** An agent's file with these lines before its class, whose `run` returns the value. */
const agent = (lines: string, value = '1') =>
  write(
    `agent-${++made}.ts`,
    `import { agent } from 'assay'\n${lines}\n@agent({ name: 'Bundled' })\nexport default class Bundled { async run(ctx: unknown, input: any) { return ${value} } }\n`,
  )

/** A package in the agent's project. */
const install = (name: string, code: string, more: object = {}) =>
  Promise.all([
    write(`node_modules/${name}/index.js`, code),
    write(
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version: '1.0.0', main: 'index.js', ...more }),
    ),
  ])

async function output(path: string, input: unknown = null) {
  const { code } = await bundleAgent(path)
  const { default: served } = await import(await write(`run-${++made}.mjs`, code))
  const body = JSON.stringify({ seq: 1, attempt: 1, input })
  const answer = await served.fetch(new Request('http://agent/', { method: 'POST', body }))
  return (await answer.json()).output
}

const refusal = (path: string, env?: Record<string, string>) =>
  bundleAgent(path, env && { env }).then(
    () => undefined,
    (error: { code: string; message: string }) => error,
  )

describe('a file is imported', () => {
  it.each([...TEXT_ENDINGS, 'MD'])('as its text: .%s', async ending => {
    const text = '# Heading\n{{name}}: "é", <b>`$$`</b>\r\n'
    await write(`prompt.${ending}`, `\u{feff}${text}`)
    expect(await output(await agent(`import text from './prompt.${ending}'`, 'text'))).toBe(text)
  })

  it('as its text because the import says so', async () => {
    await write('labels.toml', 'a = 1\n')
    const path = await agent("import text from './labels.toml' with { type: 'text' }", 'text')
    expect(await output(path)).toBe('a = 1\n')
  })

  it('as text at run time, too', async () => {
    await write('late.sql', 'select 1')
    expect(await output(await agent('', "(await import('./late.sql')).default"))).toBe('select 1')
  })

  it.each(['', " with { type: 'json' }"])('as a value if it is JSON%s', async attribute => {
    await write('data.json', '{"a":[1,"é"]}')
    expect(await output(await agent(`import data from './data.json'${attribute}`, 'data'))).toEqual({
      a: [1, 'é'],
    })
  })

  it('not at all if its ending says nothing; the error names what to do', async () => {
    await write('labels.ini', 'a = 1\n')
    const { code, message } = (await refusal(await agent("import text from './labels.ini'", 'text')))!
    expect(code).toBe('bundle_failed')
    expect(message).toMatch(/^agent-\d+\.ts:2:18: No loader is configured for "\.ini" files/)
    expect(message).toContain("import text from './file.ini' with { type: 'text' }")
  })

  it('only if it is UTF-8', async () => {
    await write('wide.md', Buffer.from('\u{feff}# Heading', 'utf16le'))
    const error = await refusal(await agent("import text from './wide.md'", 'text'))
    expect(error).toMatchObject({ code: 'bundle_failed' })
    expect(error!.message).toMatch(
      /^agent-\d+\.ts:2:18: wide\.md cannot be imported: it is not UTF-8.*save it as UTF-8/,
    )
  })
})

describe('what does not load in the sandbox is refused with the line of the author', () => {
  it.each([
    [
      'const id = crypto.randomUUID()',
      '2:19',
      /crypto\.randomUUID does not work at module level/,
      /in run\(\)/,
    ],
    [
      "import { randomUUID } from 'crypto'\nconst id = randomUUID()",
      '3:12',
      /randomUUID does not work/,
      /in run\(\)/,
    ],
    ['const cache = new Map(); setInterval(() => cache.clear(), 60000)', '2:26', /setInterval/, /in run\(\)/],
    [
      "const all = await fetch('http://127.0.0.1/').then(r => r.json())",
      '2:19',
      /fetch does not work/,
      /in run\(\)/,
    ],
    [
      "const all = fetch('http://127.0.0.1/').then(r => r.json())",
      '2:13',
      /fetch does not work/,
      /in run\(\)/,
    ],
    [
      "import { readFileSync } from 'node:fs'\nconst text = readFileSync(new URL('./prompt.txt', import.meta.url), 'utf8')",
      '3:14',
      /no such file or directory, .*\/bundle\/prompt\.txt/,
      /import the file/,
    ],
    [
      "import { join } from 'path'\nconst at = join(__dirname, 'x')",
      '3:17',
      /__dirname is not defined/,
      /import the file/,
    ],
    ["import { execSync } from 'child_process'\nexecSync('ls')", '3:1', /not implemented/, /behind a URL/],
    [
      "import { connect } from 'http2'\nconnect('https://example.com')",
      '3:1',
      /not implemented/,
      /use fetch/,
    ],
    ["throw new Error('no key')", '2:7', /no key/, /create clients inside the class/],
  ])('%s', async (lines, place, what, way) => {
    const { code, message } = (await refusal(await agent(lines)))!
    expect(code).toBe('load_failed')
    expect(message).toMatch(new RegExp(`^agent-\\d+\\.ts:${place}: it does not load in the sandbox: `))
    expect(message).toMatch(what)
    expect(message).toMatch(way)
  })

  it('in another file of the author', async () => {
    await write(
      'lib/ids.ts',
      'export const words: string[] = []\n\nexport const id: string = crypto.randomUUID()\n',
    )
    const { message } = (await refusal(await agent("import { id } from './lib/ids.ts'", 'id')))!
    expect(message).toMatch(/^lib\/ids\.ts:3:34: /)
  })

  it('which calls a package', async () => {
    await install('ids', 'exports.id = () => crypto.randomUUID()')
    const { message } = (await refusal(await agent("import { id } from 'ids'\nconst one = id()", 'one')))!
    expect(message).toMatch(
      /^agent-\d+\.ts:3:13: it does not load in the sandbox, because of ids: crypto\.randomUUID/,
    )
  })

  it('which imports a package, also if another package fails below it', async () => {
    await install('below', 'exports.id = crypto.randomUUID()')
    await install('above', "exports.id = require('below').id")
    const { message } = (await refusal(await agent("import { id } from 'above'", 'id')))!
    expect(message).toMatch(/^agent-\d+\.ts:2:20: it does not load in the sandbox, because of above: /)
  })

  it('which imports a package that is known not to work, with what to use instead', async () => {
    await install('pdf-parse', "import 'pdfjs-dist'", { type: 'module' })
    await install('pdfjs-dist', 'new DOMMatrix()', { type: 'module' })
    const { message } = (await refusal(await agent("import 'pdf-parse'")))!
    expect(message).toMatch(
      /^agent-\d+\.ts:2:8: .*because of pdf-parse: DOMMatrix is not defined\. .*use unpdf/,
    )
  })

  it('and a package that cannot even be bundled says the same', async () => {
    await install('better-sqlite3', "module.exports = require('./build/better_sqlite3.node')")
    await write('node_modules/better-sqlite3/build/better_sqlite3.node', 'ELF')
    expect((await refusal(await agent("import 'better-sqlite3'")))!.message).toContain(
      'put the agent behind a URL',
    )
    await install('own-native', "module.exports = require('./own.node')")
    await write('node_modules/own-native/own.node', 'ELF')
    expect((await refusal(await agent("import 'own-native'")))!.message).toContain(
      'put the agent behind a URL',
    )
    expect((await refusal(await agent("import 'sharp/lib/x'")))!.message).toContain(
      'sharp runs code that was compiled',
    )
    expect((await refusal(await agent("import '@own/nothing/x'")))!.message).toContain(
      'npm install @own/nothing',
    )
  })
})

it("a server's words about a place in the bundle are about the author's own", async () => {
  await install('words', "exports.word = () => 'of the package'")
  const path = await agent("import { word } from 'words'\nconst own = 'of the author' + word()", 'own')
  const { code, places } = await bundleAgent(path)
  const placeOf = (text: string) => {
    const before = code.slice(0, code.indexOf(text)).split('\n')
    return `agent.mjs:${before.length}:${before.at(-1)!.length + 1}`
  }
  const said = (text: string) => places.inSources(`It failed: ${placeOf(text)}: words`)
  expect(said('"of the author"')).toMatch(/^It failed: agent-\d+\.ts:3:13: words$/)
  expect(said('"of the package"')).toMatch(/^It failed: agent-\d+\.ts:2:22 \(because of words\): words$/)
  expect(places.inSources('It failed: agent.mjs:9999:1: words')).toBe('It failed: agent.mjs:9999:1: words')
})

it('a bundle is loaded with the variables of its deployment, and with no others', async () => {
  process.env.OF_THE_DEPLOYER = 'here'
  const path = await agent("if (!process.env.OF_THE_DEPLOYER) throw new Error('it is missing')")
  expect((await refusal(path))!.message).toMatch(/:2:41: .*it is missing/)
  expect(await refusal(path, { OF_THE_DEPLOYER: 'given' })).toBeUndefined()
  delete process.env.OF_THE_DEPLOYER
})

it('a bundle for Node is loaded in Node, and keeps its own place', async () => {
  const path = await agent('const id = crypto.randomUUID()\nconst here = import.meta.url', 'here')
  expect((await refusal(path))!.code).toBe('load_failed')
  const { code, in_sandbox } = await bundleAgent(path, { for: 'node' })
  expect([in_sandbox, code.includes('import.meta.url')]).toEqual([false, true])
})

it("a client of AWS sends by fetch in the sandbox, and by Node's HTTP as a function of its own", async () => {
  await install(
    '@smithy/fetch-http-handler',
    "export class FetchHttpHandler { kind = 'fetch' }\nexport const streamCollector = 1",
    {
      type: 'module',
    },
  )
  await install('@smithy/node-http-handler', "export class NodeHttp2Handler { kind = 'http2' }", {
    type: 'module',
  })
  const path = await agent(
    "import { NodeHttp2Handler } from '@smithy/node-http-handler'",
    'new NodeHttp2Handler().kind',
  )
  expect(await output(path)).toBe('fetch')
  expect((await bundleAgent(path, { for: 'node' })).code).toContain('http2')
})

it('each package is named once, with what it does and what to use', () => {
  const names = PACKAGE_LIMITS.flatMap(({ packages }) => packages)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names)
    expect(aboutPackage(name)).toMatch(/, which the sandbox cannot: (use|put|bring|call|compile|pass) /)
  expect(aboutPackage('zod')).toBeUndefined()
})
