// Finds the server and its key: from the environment, else from the file of a local stack. Guarantee: a key is sent only
// to the server that it was given with: that of the environment to the server that the environment names, else to this
// machine, and that of a local stack to that stack.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { shellWord } from '../kernel/shell-word.ts'
import { EXIT, Failure } from './failure.ts'
import { whyNotTrusted } from './found-folder.ts'
import { IS_CHECKOUT, ROOT } from './own-files.ts'

export interface Access {
  base_url: string
  api_key: string
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:8090'

type Environment = Record<string, string | undefined>

/** @throws Failure `no_credentials`, `data_folder_not_trusted` */
export function findAccess(env: Environment, folder: string): Access {
  const base_url = serverOf(env, folder)
  const local = env.ASSAY_API_KEY ? undefined : localStackAt(base_url, env, folder)
  const api_key = env.ASSAY_API_KEY || local?.api_key
  if (api_key !== undefined) refuseMalformed(api_key)
  if (api_key !== undefined) return { base_url, api_key }
  const other = env.ASSAY_BASE_URL ? anyLocalStack(env, folder) : undefined
  throw new Failure(EXIT.api, 'no_credentials', `there is no API key for ${base_url}`, {
    hint:
      other === undefined
        ? `for a server elsewhere set ASSAY_BASE_URL=https://… and ASSAY_API_KEY=pk_…; or ASSAY_DATA_DIR to the data folder of a stack, which has its key in local.json; or start one ${IS_CHECKOUT ? 'here' : 'in a checkout of Assay, with npm start'}`
        : `set ASSAY_API_KEY; the key of the local stack is for ${other.base_url} alone`,
    next: other === undefined && IS_CHECKOUT ? startCommand(env, folder) : undefined,
  })
}

/** The server whose metrics to read, and the bearer for them if it is known. */
export function findMetrics(env: Environment, folder: string) {
  const given = env.ASSAY_METRICS_TOKEN
  const base_url = serverOf(env, folder, given)
  return { base_url, metrics_token: given || localStackAt(base_url, env, folder)?.metrics_token }
}

/** The operator's credential, which opens accounts. @throws Failure `no_credentials`, `data_folder_not_trusted` */
export function findOperatorAccess(env: Environment, folder: string): Access {
  const given = env.ASSAY_OPERATOR_KEY
  const base_url = serverOf(env, folder, given)
  const local = given ? undefined : localStackAt(base_url, env, folder)
  const key = given || (local && operatorKeyBeside(local.file))
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
  { ASSAY_DATA_DIR, PORT }: Environment,
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

/**
 * The server's base URL without a slash at its end. A key of the environment without a server goes to the default one on
 * this machine, or to the local stack whose data folder the environment names.
 * @throws Failure `usage` if it is no http or https URL, `data_folder_not_trusted`
 */
export function serverOf(env: Environment, folder: string, key = env.ASSAY_API_KEY): string {
  const found = key && !env.ASSAY_DATA_DIR ? undefined : () => localStack(env, folder)?.base_url
  const base_url = env.ASSAY_BASE_URL || found?.() || DEFAULT_BASE_URL
  if (!/^https?:\/\//.test(base_url) || !URL.canParse(base_url))
    throw new Failure(EXIT.usage, 'usage', `ASSAY_BASE_URL is "${base_url}"; it must be an http or https URL`)
  return base_url.replace(/\/+$/, '')
}

interface LocalStack extends Access {
  metrics_token?: string
  file: string
}

/** The local stack, if it is the one at this URL. */
function localStackAt(base_url: string, env: Environment, folder: string): LocalStack | undefined {
  const local = env.ASSAY_BASE_URL ? anyLocalStack(env, folder) : localStack(env, folder)
  return local?.base_url === base_url ? local : undefined
}

/** For a server that was named already: a folder that cannot be trusted is as good as none. */
function anyLocalStack(env: Environment, folder: string): LocalStack | undefined {
  try {
    return localStack(env, folder)
  } catch (error) {
    if (error instanceof Failure && error.code === 'data_folder_not_trusted') return undefined
    throw error
  }
}

function localFolder(env: Environment, folder: string): string | undefined {
  const has = (path: string) => existsSync(join(path, 'local.json'))
  if (env.ASSAY_DATA_DIR) return [resolve(folder, env.ASSAY_DATA_DIR)].find(has)
  const found = [join(folder, '.assay'), join(ROOT, '.assay')].find(has)
  const why = found === undefined ? undefined : whyNotTrusted(found)
  if (why !== undefined) throw notTrusted(found!, why)
  return found
}

function localStack(env: Environment, folder: string): LocalStack | undefined {
  const found = localFolder(env, folder)
  if (found === undefined) return undefined
  const file = join(found, 'local.json')
  try {
    const { base_url, api_key, metrics_token } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof base_url === 'string' && typeof api_key === 'string') {
      if (!isLoopback(base_url)) throw notTrusted(found, 'its server is not on this machine')
      return { file, base_url, api_key, ...(typeof metrics_token === 'string' && { metrics_token }) }
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw unreadable(file, (error as Error).message, startCommand(env, folder))
  }
  throw unreadable(file, 'it lacks base_url or api_key', startCommand(env, folder))
}

const isLoopback = (url: string): boolean =>
  URL.canParse(url) && /^(127(\.\d+){3}|localhost|\[::1\])$/.test(new URL(url).hostname)

const notTrusted = (folder: string, why: string) =>
  new Failure(EXIT.api, 'data_folder_not_trusted', `${folder} is not used, because ${why}`, {
    hint: why.startsWith('its server')
      ? 'set ASSAY_BASE_URL=https://… and ASSAY_API_KEY=pk_… for a server elsewhere'
      : `if it is yours, name it: ASSAY_DATA_DIR=${shellWord(folder)}; for a server elsewhere set ASSAY_BASE_URL and ASSAY_API_KEY`,
  })

const unreadable = (file: string, why: string, next: string) =>
  new Failure(EXIT.api, 'no_credentials', `${file} cannot be used: ${why}`, {
    hint: 'start the stack again: it writes that file anew',
    next,
  })
