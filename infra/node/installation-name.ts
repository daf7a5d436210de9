// Checks the name that ASSAY_INSTALLATION gives, the same way in Node and in workerd.

import { INSTALLATION_NAMES, isInstallationName } from '../../shared/kernel/installation-name.ts'
import { invalid } from '../local/exit-error.ts'

/** @throws ExitError when it cannot be the name of an installation */
export function checkedInstallation(name: string | undefined): string | undefined {
  if (name === undefined || isInstallationName(name)) return name
  throw invalid(`ASSAY_INSTALLATION is ${name}: it takes ${INSTALLATION_NAMES}, such as staging.`)
}
