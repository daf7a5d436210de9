// Finds the server and its key: from the environment, else from the file of a local stack. Guarantee: the key of a
// local stack is sent only to that stack.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { shellWord } from '../kernel/shell-word.ts'
import { EXIT, Failure } from './failure.ts'
import { IS_CHECKOUT, ROOT } from './own-files.ts'

export interface Access {
  base_url: string
  api_key: string
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:8090'

/** @throws Failure `no_credentials` */
export function findAccess(env: Record<string, string | undefined>, folder: string): Access {
  const local = localStack(env, folder)
  const base_url = serverOf(env, folder)
  const api_key = env.ASSAY_API_KEY || (base_url === local?.base_url ? local.api_key : undefined)
  if (api_key !== undefined) refuseMalformed(api_key)
  if (api_key !== undefined) return { base_url, api_key }
  throw new Failure(EXIT.api, 'no_credentials', `there is no API key for ${base_url}`, {
    hint:
      local === undefined
        ? `for a server elsewhere set ASSAY_BASE_URL=https://… and ASSAY_API_KEY=pk_…; or ASSAY_DATA_DIR to the data folder of a stack, which has its key in local.json; or start one ${IS_CHECKOUT ? 'here' : 'in a checkout of Assay, with npm start'}`
        : `set ASSAY_API_KEY; the key of the local stack is for ${local.base_url} alone`,
    next: local === undefined && IS_CHECKOUT ? startCommand(env, folder) : undefined,
  })
}

/** The server whose metrics to read, and the bearer for them if it is known. */
export function findMetrics(env: Record<string, string | undefined>, folder: string) {
  const local = localStack(env, folder)
  const base_url = serverOf(env, folder)
  const metrics_token =
    env.ASSAY_METRICS_TOKEN || (base_url === local?.base_url ? local.metrics_token : undefined)
  return { base_url, metrics_token }
}

/** The operator's credential, which opens accounts. @throws Failure `no_credentials` */
export function findOperatorAccess(env: Record<string, string | undefined>, folder: string): Access {
  const base_url = serverOf(env, folder)
  const isLocal = base_url === localStack(env, folder)?.base_url
  const key = env.ASSAY_OPERATOR_KEY || (isLocal ? operatorKeyBeside(localFile(env, folder)!) : undefined)
  if (key !== undefined) return { base_url, api_key: key }
  throw new Failure(EXIT.api, 'no_credentials', `there is no operator's credential for ${base_url}`, {
    hint: env.ASSAY_PROFILE
      ? `none of the environment is sent to the server of a profile: set ASSAY_BASE_URL=${base_url} beside ASSAY_OPERATOR_KEY, and name no profile`
      : 'set ASSAY_OPERATOR_KEY to what the server was started with; npm start keeps one in operator.key of its data folder, for its owner alone',
  })
}

function operatorKeyBeside(localFile: string): string | undefined {
  try {
    return readFileSync(join(dirname(localFile), 'operator.key'), 'utf8').trim() || undefined
  } catch {
    return undefined // an older stack has no such file; another user's cannot be read
  }
}

/** fetch would refuse such a key in an error that repeats it. @throws Failure `bad_key`, which does not show it */
function refuseMalformed(api_key: string): void {
  if (/^[A-Za-z0-9._~+/=-]+$/.test(api_key)) return
  throw new Failure(EXIT.api, 'bad_key', 'ASSAY_API_KEY holds a character that no key has', {
    hint: 'a line break, a blank or a quote that came along when it was copied? A key is pk_ and 43 letters, digits, - and _',
  })
}

/** The command that starts the local stack again, with the data folder and the port that it had. */
export function startCommand(
  { ASSAY_DATA_DIR, PORT }: Record<string, string | undefined>,
  folder: string,
  base_url?: string,
): string {
  const port = base_url === undefined ? PORT : new URL(base_url).port
  const settings = [
    port && port !== new URL(DEFAULT_BASE_URL).port && `PORT=${shellWord(port)}`,
    ASSAY_DATA_DIR && `ASSAY_DATA_DIR=${shellWord(resolve(folder, ASSAY_DATA_DIR))}`,
  ]
  return [...settings, 'npm start'].filter(Boolean).join(' ')
}

/** The server's base URL without a slash at its end. @throws Failure `usage` if it is no http or https URL */
export function serverOf(env: Record<string, string | undefined>, folder: string): string {
  const base_url = env.ASSAY_BASE_URL || localStack(env, folder)?.base_url || DEFAULT_BASE_URL
  if (!/^https?:\/\//.test(base_url) || !URL.canParse(base_url))
    throw new Failure(EXIT.usage, 'usage', `ASSAY_BASE_URL is "${base_url}"; it must be an http or https URL`)
  return base_url.replace(/\/+$/, '')
}

function localFile(env: Record<string, string | undefined>, folder: string): string | undefined {
  const folders = env.ASSAY_DATA_DIR
    ? [resolve(folder, env.ASSAY_DATA_DIR)]
    : [join(folder, '.assay'), join(ROOT, '.assay')]
  return folders.map(path => join(path, 'local.json')).find(path => existsSync(path))
}

function localStack(
  env: Record<string, string | undefined>,
  folder: string,
): (Access & { metrics_token?: string }) | undefined {
  const file = localFile(env, folder)
  if (file === undefined) return undefined
  try {
    const { base_url, api_key, metrics_token } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof base_url === 'string' && typeof api_key === 'string')
      return { base_url, api_key, ...(typeof metrics_token === 'string' && { metrics_token }) }
  } catch (error) {
    throw unreadable(file, (error as Error).message, startCommand(env, folder))
  }
  throw unreadable(file, 'it lacks base_url or api_key', startCommand(env, folder))
}

const unreadable = (file: string, why: string, next: string) =>
  new Failure(EXIT.api, 'no_credentials', `${file} cannot be used: ${why}`, {
    hint: 'start the stack again: it writes that file anew',
    next,
  })
