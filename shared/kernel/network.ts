// Which hosts an agent may call, once its deployment's environment is known.

/**
 * Replaces `$NAME` by the host in that variable, which holds a URL or a host; a variable that is not set adds
 * nothing. Other entries stay as they are. Hosts are lower case, each once, in the order of the declaration.
 *
 * @throws Error when a variable is set but holds neither a URL nor a host
 * @example
 * resolveNetwork(['api.openai.com', '$BASE'], { BASE: 'http://127.0.0.1:8099/v1' })
 * // ['api.openai.com', '127.0.0.1:8099']
 */
export function resolveNetwork(
  network: readonly string[] | undefined,
  env: Record<string, string | undefined>,
): string[] {
  const hosts = new Set<string>()
  for (const entry of network ?? []) {
    if (!entry.startsWith('$')) {
      hosts.add(entry.toLowerCase())
      continue
    }
    const value = env[entry.slice(1)]?.trim()
    if (value) hosts.add(hostOf(value, entry))
  }
  return [...hosts]
}

function hostOf(value: string, entry: string): string {
  const text = value.includes('://') ? value : `http://${value}`
  const host = URL.canParse(text) ? new URL(text).host : ''
  if (host === '') throw new Error(`network: ${entry} is set to something that is neither a URL nor a host`)
  return host
}
