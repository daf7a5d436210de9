// Finds the files of Assay that the command uses or passes on. Guarantee: the same names work in a checkout, where they
// are TypeScript, and in the npm package, where they are compiled, because both map them in their package.json.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const { resolve } = createRequire(import.meta.url)

/** The modules that agents import, by the name of the import. */
export const OWN_MODULES: Readonly<Record<string, string>> = {
  assay: resolve('assay'),
  'assay/client': resolve('assay/client'),
  'assay/testing': resolve('assay/testing'),
}

/** The server of a packaged agent. */
export const AGENT_SERVER = resolve('#agent-server')

/** What `assay test --sandbox` imports before the tests. */
export const SANDBOX_TESTS = resolve('#sandbox-tests')

const manifest = resolve('assay/package.json')
export const ROOT = dirname(manifest)
/** Whether this is a checkout, with the sources and `npm run package`. */
export const IS_CHECKOUT = existsSync(join(ROOT, 'infra'))

/** The folder of the packages that were installed with this one. */
export const OWN_PACKAGES = IS_CHECKOUT ? join(ROOT, 'node_modules') : dirname(ROOT)

/** The version of the agents' runtime that a server of this version has. */
export function workerdVersion(): string {
  const { dependencies, projectVersions } = ownManifest()
  return projectVersions?.workerd ?? dependencies.workerd ?? 'latest'
}

interface Manifest {
  version: string
  dependencies: Record<string, string>
  devDependencies?: Record<string, string>
  /** In the npm package only: the versions that new projects start with. */
  projectVersions?: Record<string, string>
}

export const ownManifest = (): Manifest => JSON.parse(readFileSync(manifest, 'utf8'))
