// A real nginx with one of our files, if nginx is installed: it is no dependency.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, listensAt } from './ports.ts'
import { tempFolder } from './temp-folder.ts'

const BINARY = ['/usr/sbin/nginx', '/usr/bin/nginx'].find(path => spawnSync(path, ['-v']).status === 0)
export const hasNginx = BINARY !== undefined

export interface Ingress {
  url: string
  close(): Promise<void>
}

/** Serves a file of conf.d on a free port, which replaces the port of its `listen`. */
export async function startIngress(file: string): Promise<Ingress> {
  const folder = await tempFolder()
  await chmod(folder.path, 0o755)
  await mkdir(join(folder.path, 'temp'))
  const port = await freePort()
  await writeFile(join(folder.path, 'assay.conf'), file.replace(/listen \d+;/, `listen 127.0.0.1:${port};`))
  const config = join(folder.path, 'nginx.conf')
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  await writeFile(
    config,
    `daemon off;
pid ${folder.path}/pid;
error_log ${folder.path}/error.log;
worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  ${kinds.map(kind => `${kind}_temp_path ${folder.path}/temp/${kind};`).join('\n  ')}
  include ${folder.path}/assay.conf;
}
`,
  )
  const child = spawn(BINARY!, ['-c', config, '-p', folder.path], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', chunk => (log += chunk))
  await listensAt(port, child).catch(error => {
    throw new Error(log, { cause: error })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await folder.remove()
    },
  }
}
