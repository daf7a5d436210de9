// The proxies that people put in front of Assay, with the files of infra/proxies, if they are installed: they are no
// dependencies. Only addresses, ports and certificates are replaced.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Authority, makeAuthority } from './certificates.ts'
import { freePort, listensAt } from './ports.ts'
import { tempFolder } from './temp-folder.ts'

const FILES = join(import.meta.dirname, '../../infra/proxies')
/** The host in the files. */
export const NAME = 'assay.example.com'

export type ProxyName = 'nginx' | 'Caddy' | 'HAProxy'
const BINARIES: Record<ProxyName, [path: string, version: string]> = {
  nginx: ['/usr/sbin/nginx', '-v'],
  Caddy: ['/usr/bin/caddy', 'version'],
  HAProxy: ['/usr/sbin/haproxy', '-v'],
}
export const isInstalled = (name: ProxyName): boolean => {
  const [path, version] = BINARIES[name]
  return spawnSync(path, [version]).status === 0
}

export interface RunningProxy extends AsyncDisposable {
  port: number
  ca: string
}

interface Place {
  folder: string
  port: number
  cert: string
  key: string
}

/** Writes the proxy's folder; returns the arguments that start it there in the foreground. */
const STARTED: Record<ProxyName, (site: string, at: Place) => Promise<string[]>> = {
  async nginx(site, { folder, port, cert, key }) {
    await writeFile(
      join(folder, 'site.conf'),
      site
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('/etc/ssl/assay.crt', cert)
        .replace('/etc/ssl/assay.key', key),
    )
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const paths = temporary.map(name => `${name}_temp_path ${join(folder, name)};`).join('\n')
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${join(folder, 'pid')}; worker_processes 1; error_log stderr;
events {}
http { access_log off; ${paths} include ${join(folder, 'site.conf')}; }\n`,
    )
    return ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  },
  async Caddy(site, { folder, port, cert, key }) {
    const options = '{\n\tadmin off\n\tauto_https off\n}\n'
    const own = `https://${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`
    await writeFile(join(folder, 'Caddyfile'), options + site.replace(`${NAME} {`, own))
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
  },
  async HAProxy(site, { folder, port, cert, key }) {
    const pem = join(folder, 'assay.pem')
    await writeFile(pem, (await readFile(cert, 'utf8')) + (await readFile(key, 'utf8')))
    const config = join(folder, 'haproxy.cfg')
    await writeFile(
      config,
      site.replace('bind :443 ssl crt /etc/haproxy/assay.pem', `bind 127.0.0.1:${port} ssl crt ${pem}`),
    )
    return ['-db', '-q', '-f', config]
  },
}

/** Starts the proxy with a file of infra/proxies or a text of the test's own, in front of the port `upstream`. */
export async function startProxy(
  name: ProxyName,
  site: { file: string } | { text: string },
  upstream: number,
  port: number | undefined = undefined,
): Promise<RunningProxy> {
  const folder = await tempFolder()
  await chmod(folder.path, 0o755)
  const authority: Authority = await makeAuthority(folder.path, 'ca')
  const { cert, key } = await authority.issue('proxy', `DNS:${NAME},IP:127.0.0.1`)
  const at = { folder: folder.path, port: port ?? (await freePort()), cert, key }
  const text = 'text' in site ? site.text : await readFile(join(FILES, site.file), 'utf8')
  const args = await STARTED[name](text.replaceAll('127.0.0.1:8090', `127.0.0.1:${upstream}`), at)
  const said: string[] = []
  const proxy = spawn(BINARIES[name][0], args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
  })
  proxy.stderr.on('data', chunk => said.push(String(chunk)))
  await listensAt(at.port, proxy).catch(error => {
    throw new Error(said.join(''), { cause: error })
  })
  return {
    port: at.port,
    ca: authority.ca,
    async [Symbol.asyncDispose]() {
      proxy.kill('SIGTERM')
      const killed = setTimeout(() => proxy.kill('SIGKILL'), 3000)
      if (proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit')
      clearTimeout(killed)
      await folder.remove()
    },
  }
}
