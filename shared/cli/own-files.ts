// Where the files are that the command hands on. Guarantee: the same names find them in a checkout, where they are
// TypeScript, and in the npm package, where they are compiled, because both say so in their package.json.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const { resolve } = createRequire(import.meta.url)

/** What agents import, by the name they import it by. */
export const OWN_MODULES: Readonly<Record<string, string>> = {
  assay: resolve('assay'),
  'assay/client': resolve('assay/client'),
  'assay/testing': resolve('assay/testing'),
}

/** What serves a packaged agent. */
export const AGENT_SERVER = resolve('#agent-server')

const manifest = resolve('assay/package.json')
export const ROOT = dirname(manifest)
/** The sources are there, and `npm run package` with them. */
export const IS_CHECKOUT = existsSync(join(ROOT, 'infra'))

/** Where packages stand that came with this one. */
export const OWN_PACKAGES = IS_CHECKOUT ? join(ROOT, 'node_modules') : dirname(ROOT)

interface Manifest {
  version: string
  dependencies: Record<string, string>
  devDependencies?: Record<string, string>
  /** In the package: the versions that new projects start with. */
  projectVersions?: Record<string, string>
}

export const ownManifest = (): Manifest => JSON.parse(readFileSync(manifest, 'utf8'))
