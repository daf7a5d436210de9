// Generates the systemd unit that starts the stack at boot: the same `npm start`, as the user who owns the checkout.

import { join } from 'node:path'
import { REFUSED } from './exit-error.ts'

export interface UnitPlace {
  checkout: string
  user: string
  dataDir: string
  /** PATH of the caller, since systemd's own may lack Node, npm and redis-server. */
  path: string
}

/**
 * Restricts what neither the server nor an agent that escaped its sandbox needs. The rest of the machine stays
 * accessible: a start as root may install what it needs.
 */
const BOUNDS = `NoNewPrivileges=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
`

/** The restrictions for a service that owns nothing but its StateDirectory. */
export const UNPRIVILEGED = `${BOUNDS}CapabilityBoundingSet=
PrivateDevices=yes
PrivateTmp=yes
ProtectHome=read-only
ProtectSystem=strict
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
`

/** Longer than the stack takes to stop by itself: it releases its claims and writes its stores. */
const STOP_S = 60

export function systemdUnit({ checkout, user, dataDir, path }: UnitPlace): string {
  return `[Unit]
Description=Assay
Documentation=file://${join(checkout, 'infra/README.md')}
Wants=network-online.target
After=network-online.target

[Service]
User=${user}
WorkingDirectory=${checkout}
ExecStart=/usr/bin/env node ${quoted(join(checkout, 'infra/local/bootstrap.mjs'))} --no-demo
Environment=${quoted(`ASSAY_DATA_DIR=${dataDir}`)}
Environment=${quoted(`PATH=${withoutPackages(path)}`)}
# Environment=PORT=8090
# Behind a reverse proxy on this machine (infra/proxies.md):
# Environment=BASE_URL=https://assay.example.com
# Environment=ASSAY_TRUSTED_PROXIES=127.0.0.1/32
KillMode=mixed
TimeoutStopSec=${STOP_S}
${BOUNDS}Restart=always
RestartSec=5
# What a person has to fix is said in the last line of the journal, and not tried again.
RestartPreventExitStatus=${REFUSED}

[Install]
WantedBy=multi-user.target
`
}

/** Leaves out node_modules: a start may reinstall packages, so it must not run on a Node among them. */
const withoutPackages = (path: string) =>
  path
    .split(':')
    .filter(folder => !folder.includes('node_modules'))
    .join(':')

const quoted = (text: string) => (/[\s"\\]/.test(text) ? JSON.stringify(text) : text).replaceAll('%', '%%')
