import { expect, it } from 'vitest'
import { systemdUnit } from './systemd.ts'

it('the systemd unit runs what npm start runs, in the checkout, as the given user and with its data folder', () => {
  const unit = systemdUnit({
    checkout: '/srv/assay 1',
    user: 'assay',
    dataDir: '/var/lib/100%/assay',
    path: '/srv/assay 1/node_modules/.bin:/usr/local/bin:/usr/bin',
  })
  expect(unit).toContain('ExecStart=/usr/bin/env node "/srv/assay 1/infra/local/bootstrap.mjs" --no-demo\n')
  expect(unit).toContain('User=assay\nWorkingDirectory=/srv/assay 1\n')
  expect(unit).toContain('Environment=ASSAY_DATA_DIR=/var/lib/100%%/assay\n')
  expect(unit).toContain('Environment=PATH=/usr/local/bin:/usr/bin\n') // without the Node that a start may replace
  expect(unit).toContain('KillMode=mixed\n') // the stack stops its own stores, in their order
  expect(unit).toContain('NoNewPrivileges=yes\n')
  expect(unit).not.toMatch(/ProtectSystem|UMask/) // a start as root may install packages, and others must reach workerd
  expect(unit).toContain('WantedBy=multi-user.target\n')
})
