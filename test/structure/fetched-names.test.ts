// No text suggests a name that npm, pip or Docker would fetch from a public registry where nobody has published Assay:
// whoever takes the name first would run on every machine that follows the text.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const SELF = 'test/structure/fetched-names.test.ts'
/** What npm installs with the checkout: their publishers are those of the lockfile. */
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const INSTALLED = new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)])

const OPTIONS = String.raw`(?:--?[\w-]+(?:[= ](?:CHECKOUT|\S*/\S*))? +)*`
/** Programs that run or install a package by its name. Of `npx` with `--no`, npm runs what is installed, or nothing. */
const FETCHES = [
  `npx +(?!--no )${OPTIONS}`,
  `npm (?:exec|x|i|in|install|add|create|init) +${OPTIONS}`,
  `(?:pnpm|yarn|bun) +(?:dlx|add|global add|create|install|x) +${OPTIONS}`,
  `(?:bunx|pnpx|uvx) +${OPTIONS}`,
  `(?:python3? -m )?pip3? install +${OPTIONS}`,
  `pipx (?:run|install) +${OPTIONS}`,
  `uv (?:add|tool run|tool install|pip install|run --with) +${OPTIONS}`,
  `(?:poetry|pdm|cargo) (?:add|install) +${OPTIONS}`,
  `(?:brew|apt-get|apt) install +${OPTIONS}`,
  `docker (?:pull|run) +${OPTIONS}`,
  `deno (?:run|add|install) +${OPTIONS}npm:`,
].map(text => new RegExp(`(?<![\\w-])${text}(@?[a-z][\\w./@-]*)`, 'g'))
/** Of these, no name of ours. */
const OURS = /^@?assay(?:$|[@/-])/

/** The names of ours that a text would have somebody fetch. */
export function fetched(text: string): string[] {
  const lines = text.replaceAll('\\n', '\n') // in the source of a program
  const named = FETCHES.flatMap(pattern => [...lines.matchAll(pattern)])
  const bad = named.filter(([whole, name]) =>
    whole.startsWith('npx') ? !INSTALLED.has(name!) : OURS.test(name!) && !/\.(?:tgz|whl)$/.test(name!),
  )
  return bad.map(([whole]) => whole)
}

describe('a text that suggests a name to be fetched is found', () => {
  it.each([
    'npx assay runs',
    'npx --yes assay runs',
    String.raw`key\nnpx assay`,
    'npx -y assay',
    'npx --prefix CHECKOUT assay runs',
    'npx some-tool',
    'npm exec assay -- runs',
    'npm i -g assay',
    'npm install assay',
    'npm install --save-dev assay@latest',
    'npm install @assay/client',
    'npm create assay',
    'pip install assay',
    'pip install --upgrade assay-client',
    'python3 -m pip install assay',
    'pipx run assay',
    'uvx assay',
    'uv add assay',
    'pnpm dlx assay',
    'yarn add assay',
    'bunx assay',
    'docker run assay',
    'brew install assay',
    'deno run npm:assay',
  ])('%s', text => expect(fetched(`Try \`${text}\`.`)).toHaveLength(1))

  it.each([
    'npx --no assay runs',
    'npx --no --prefix CHECKOUT assay runs',
    'npx vitest run',
    'npm install ./assay-0.1.0.tgz',
    'npm install dist/npm/assay-0.1.0.tgz',
    'npm install --save-dev workerd',
    'pip install ./python',
    'assay runs',
  ])('and not: %s', text => expect(fetched(text)).toEqual([]))
})

it('no file of the product suggests one', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(name => /\.(?:md|tsx?|mjs|ya?ml|json|sh|py|toml)$|Dockerfile|\.ci\/run/.test(name))
    .filter(name => !/\.gen\.|package-lock|drizzle\/meta/.test(name) && name !== SELF)
  expect(files.length).toBeGreaterThan(500)
  const found = files.flatMap(name =>
    fetched(readFileSync(join(ROOT, name), 'utf8')).map(text => `${name}: ${text}`),
  )
  expect(found).toEqual([])
})

it('an image of ours is made here, or named by a registry', () => {
  const compose = readFileSync(join(ROOT, 'infra/compose.yaml'), 'utf8')
  const services = compose.split(/^ {2}(?=\w+:$)/m).filter(text => /^ {4}image: assay$/m.test(text))
  expect(services.length).toBe(3)
  for (const text of services) expect(text).toMatch(/^ {4}pull_policy: (?:build|never)\b/m)
})
