// `npm run test:cluster`: follows a platform's page on the named cluster, running every command in the page's order,
// checks before the last step what only a cluster can show, and removes it all again. It refuses without a cluster, its
// programs or the page's names. It exits with 0 if every check passed, 1 if not, and 2 if nothing was tried. After a
// failed step, what was made stays for inspection.
//
//   KUBECONFIG=FILE IMAGE=… BASE_URL=… (the page's other names) npm run test:cluster -- openfaas|knative

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { tempFolder } from '../support/temp-folder.ts'
import { type Block, blocksOf, namesOf, programsOf } from './page.ts'
import type { Platform } from './played.ts'
import type { Report } from './probe.ts'
import { exportsOf, type Shell, startShell } from './shell.ts'

const ROOT = join(import.meta.dirname, '../..')
const ANSWER_S = 10
const ASLEEP_S = 300
const LOOK_MS = 5000
const OURS = 'app.kubernetes.io/part-of=assay'

class Refused extends Error {}

const works = (...command: [string, ...string[]]) =>
  spawnSync(command[0], command.slice(1), { stdio: 'ignore' }).status === 0

/** @throws Refused that says what to install, to set or to start */
function namesFrom(blocks: readonly Block[]): Record<string, string> {
  const missing = programsOf(blocks).filter(name => !works('bash', '-c', `command -v ${name}`))
  if (missing.length > 0) throw new Refused(`not on the PATH: ${missing.join(', ')}`)
  if (!process.env.KUBECONFIG)
    throw new Refused(
      'KUBECONFIG is not set: the file that says how your cluster is reached; no other is looked for',
    )
  const names = namesOf(blocks)
  const wanting = names.filter(({ name, isExample }) => isExample && !process.env[name])
  if (wanting.length > 0)
    throw new Refused(
      `not set: ${wanting.map(({ name }) => name).join(', ')}; step 1 of the page says what they are`,
    )
  if (!works('kubectl', 'version', `--request-timeout=${ANSWER_S}s`))
    throw new Refused(`no cluster answers within ${ANSWER_S} s at what KUBECONFIG says`)
  return Object.fromEntries(
    names.flatMap(({ name }) => (process.env[name] ? [[name, process.env[name]]] : [])),
  )
}

async function follow(platform: Platform): Promise<Report> {
  const blocks = blocksOf(platform)
  const names = namesFrom(blocks)
  const memory = await tempFolder()
  const shell = await startShell(ROOT, memory.path)
  const report: Report = []
  let account = ''
  async function run(commands: string): Promise<string> {
    console.log(`$ ${commands.trimEnd()}`)
    const printed = await shell.run(commands)
    process.stdout.write(printed)
    return printed
  }
  try {
    for (const { kind, step, commands } of blocks) {
      if (kind === 'checkout' || kind === 'machine') continue
      if (kind === 'account') await shell.run(accountOf(account))
      else if (kind === 'names') await run(`${commands}\n${exportsOf(names)}`)
      else {
        if (step === 'remove') report.push(...(await questions(platform, shell)))
        const printed = await run(commands)
        if (step === 'account') account = printed
      }
    }
    const left = await shell.run(
      `kubectl -n "$NAMESPACE" get all,ingresses,networkpolicies -l ${OURS} -o name 2> /dev/null`,
    )
    report.push({ what: 'removes what it made', ...(left === '' ? {} : { wrong: `left ${left}` }) })
    return report
  } finally {
    shell.close()
    await memory.remove()
  }
}

function accountOf(printed: string): string {
  const [, key] = /"api_key":\s*"([^"]+)"/.exec(printed) ?? []
  if (key === undefined) throw new Error(`the Job printed no API key:\n${printed}`)
  return `export ASSAY_BASE_URL=$BASE_URL\nexport ASSAY_API_KEY='${key}'`
}

async function questions(platform: Platform, shell: Shell): Promise<Report> {
  const url = await shell.run('printf %s "$BASE_URL"')
  const { probe } = await import('./probe.ts') // all operations, which a refusal does not wait for
  const answers = await probe(url)
  return platform === 'knative' ? [...answers, await wakes(url, shell)] : answers
}

/** All functions but the tick, which is called each minute, go to zero; then one request wakes what it needs. */
async function wakes(url: string, shell: Shell): Promise<Report[number]> {
  await shell.run(`sed 's/min: 1/min: 0/' assay-values.yaml |
    node infra/generate.ts --target knative --values /dev/stdin --out "$OUT"`)
  await shell.run(blocksOf('knative').find(({ step }) => step === 'deploy')!.commands)
  const selector = 'app.kubernetes.io/component in (router, api, consumer)'
  const since = Date.now()
  while ((await shell.run(`kubectl -n "$NAMESPACE" get pods -l '${selector}' -o name 2> /dev/null`)) !== '') {
    if (Date.now() - since > ASLEEP_S * 1000)
      return { what: 'goes to zero', wrong: `not within ${ASLEEP_S} s` }
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
  }
  const from = performance.now()
  const { status } = await fetch(`${url}/health/ready`)
  const took = Math.round(performance.now() - from)
  return { what: `wakes from zero: ${took} ms`, ...(status === 200 ? {} : { wrong: `answered ${status}` }) }
}

try {
  const [platform] = process.argv.slice(2)
  if (platform !== 'knative' && platform !== 'openfaas')
    throw new Refused('say of which platform your cluster is: -- knative, or -- openfaas')
  const report = await follow(platform)
  for (const { what, wrong } of report) console.log(wrong ? `WRONG  ${what}: ${wrong}` : `right  ${what}`)
  const wrong = report.filter(one => one.wrong).length
  const all = report.length
  console.log(wrong === 0 ? `passed: ${all} of ${all}` : `failed: ${wrong} of ${all}`)
  process.exitCode = wrong === 0 ? 0 : 1
} catch (error) {
  const refused = error instanceof Refused
  console.error(refused ? `nothing was tested: ${error.message}` : `failed: ${error}`)
  process.exitCode = refused ? 2 : 1
}
