// Generates the configuration text of one agent's workerd process. Guarantee: the agent's worker has only its own code
// and environment; its only outbound is the egress worker, and the network services behind that are as narrow as the
// declaration.

import type { EgressRules } from './egress.ts'
import type { AddedModule } from './exit-report.ts'

/**
 * What agents find in workerd, and what their declarations were tried under: only the workerd of package.json runs them.
 * Flags that became defaults by this date must not be listed; workerd refuses to start on them.
 */
export const AGENT_COMPATIBILITY_DATE = '2026-07-01'

/** Ways around "public": NAT64, 6to4 and carrier-grade NAT lead to addresses that may be private. */
const NEVER_PUBLIC = ['64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '100.64.0.0/10']

/** The name of the agent's module, as other modules import it. */
export const AGENT_MODULE = 'agent'

export const AGENT_FILE = 'agent.mjs'
export const EGRESS_FILE = 'egress.mjs'
export const CONFIG_FILE = 'agent.capnp'

export interface WorkerdSettings {
  env: Record<string, string>
  rules: EgressRules
  /** Run before the agent's module; the first is the entry. */
  around: readonly AddedModule[]
  heap_mib: number
  agent_socket: string
  watch_socket: string
  /** A socket of HTTP requests that stands for all networks, where tests answer instead of hosts. */
  outbound_socket?: string | undefined
}

export function workerdConfig(settings: WorkerdSettings): string {
  const { rules } = settings
  const opened = rules.any || rules.public.length > 0
  const env = Object.entries(settings.env).map(
    ([name, value]) => `(name = ${text(name)}, text = ${text(value)})`,
  )
  const around = settings.around.map(({ name, code }) => `(name = ${text(name)}, esModule = ${text(code)})`)
  const played = settings.outbound_socket
  const outside = (network: string) =>
    played === undefined
      ? `network = ${network}`
      : `external = (address = ${text(`unix:${played}`)}, http = (style = proxy))`
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = [${text(`--max-old-space-size=${settings.heap_mib}`)}],
  services = [
    (name = "internet", network = (allow = [])),
    (name = "public", ${outside(network(opened ? ['public'] : [], NEVER_PUBLIC))}),
    (name = "private", ${outside(network(rules.private_blocks, []))}),
    (name = "egress", worker = .egress),
    (name = "agent", worker = .agent),
  ],
  sockets = [
    (name = "agent", address = ${text(`unix:${settings.agent_socket}`)}, http = (), service = "agent"),
    (name = "watch", address = ${text(`unix:${settings.watch_socket}`)}, http = (), service = "egress"),
  ],
);
const egress :Workerd.Worker = (
  modules = [(name = "egress", esModule = embed ${text(EGRESS_FILE)})],
  compatibilityDate = ${text(AGENT_COMPATIBILITY_DATE)},
  bindings = [
    (name = "PUBLIC", service = "public"),
    (name = "PRIVATE", service = "private"),
    (name = "RULES", json = ${text(JSON.stringify(rules))}),
  ],
);
const agent :Workerd.Worker = (
  modules = [${[...around, `(name = ${text(AGENT_MODULE)}, esModule = embed ${text(AGENT_FILE)})`].join(', ')}],
  compatibilityDate = ${text(AGENT_COMPATIBILITY_DATE)},
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = (name = "egress", entrypoint = "Egress"),
  bindings = [${env.join(', ')}],
);
`
}

function network(allow: string[], deny: string[]): string {
  return `(allow = [${allow.map(text)}], deny = [${deny.map(text)}], tlsOptions = (trustBrowserCas = true))`
}

/** Quotes a value as a Cap'n Proto text literal. */
export function text(value: string): string {
  const escaped = value.replace(/[\\"\x00-\x1f\x7f]/g, c =>
    c === '\\' || c === '"' ? `\\${c}` : `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `"${escaped}"`
}
