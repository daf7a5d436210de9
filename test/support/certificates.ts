// A certificate authority of the test's own, and the server certificates that it issues with openssl.

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Authority {
  /** Its certificate in PEM, and the path of that file. */
  ca: string
  file: string
  /** Issues a certificate for these names and addresses; returns the paths of certificate and key. */
  issue(name: string, subjects: string): Promise<{ cert: string; key: string }>
}

/** @example (await makeAuthority(folder, 'ca')).issue('postgres', 'DNS:localhost,IP:127.0.0.1') */
export async function makeAuthority(folder: string, name: string): Promise<Authority> {
  const at = (file: string) => join(folder, file)
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const [key, file] = [at(`${name}.key`), at(`${name}.crt`)]
  await run('openssl', [
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    key,
    '-out',
    file,
    '-subj',
    `/CN=${name}`,
    '-days',
    '2',
  ])
  return {
    ca: await readFile(file, 'utf8'),
    file,
    async issue(server, subjects) {
      const [ownKey, request, cert, extensions] = ['key', 'csr', 'crt', 'ext'].map(end =>
        at(`${name}-${server}.${end}`),
      )
      await writeFile(extensions!, `subjectAltName=${subjects}\n`)
      await run('openssl', ['req', ...newKey, '-keyout', ownKey!, '-out', request!, '-subj', `/CN=${server}`])
      const signing = ['-CA', file, '-CAkey', key, '-CAcreateserial', '-days', '2', '-extfile', extensions!]
      await run('openssl', ['x509', '-req', '-in', request!, ...signing, '-out', cert!])
      return { cert: cert!, key: ownKey! }
    },
  }
}
