// Words what keeps a process from working although PostgreSQL answers, as pure functions.

import { SCHEMA } from './schema.gen.ts'

export interface RoleState {
  role: string
  /** The latest migration's time in ms since 1970; null if there was none, undefined if the role may not read it. */
  version: number | null | undefined
  /** What the role lacks, in words of PostgreSQL. */
  lacks: string[]
  /** A migration is running, on a schema that is older than this version needs. */
  migrating?: boolean
}

export interface Fault {
  dependency: 'schema' | 'role' | 'master_key'
  code:
    | 'schema_behind'
    | 'role_lacks_rights'
    | 'master_key_missing'
    | 'master_key_malformed'
    | 'master_key_differs'
  /** Follows the name of the dependency. */
  says: string
}

const MIGRATE = 'run infra/migrate.ts of this version (of the image: node /app/migrate.mjs)'
const RIGHTS_NAMED = 3

/** A schema that is newer than this version needs is no fault. */
export function faultsOf(
  { role, version, lacks, migrating }: RoleState,
  key?: { wanted: string | null; given: string | null | Error },
): Fault[] {
  const faults: Fault[] = []
  const add = (dependency: Fault['dependency'], code: Fault['code'], says: string) =>
    faults.push({ dependency, code, says })
  if (version === null) add('schema', 'schema_behind', `is not there: ${MIGRATE}`)
  else if (version !== undefined && version < SCHEMA.version)
    add(
      'schema',
      'schema_behind',
      `is older than this version needs (${SCHEMA.migration}): ${migrating ? 'infra/migrate.ts is at it' : MIGRATE}`,
    )
  else if (lacks.length > 0) {
    const named = lacks.slice(0, RIGHTS_NAMED).join('; ')
    const more = lacks.length > RIGHTS_NAMED ? ` and ${lacks.length - RIGHTS_NAMED} more` : ''
    const fix = `infra/migrate.ts --grants ${role} prints what it needs`
    add('role', 'role_lacks_rights', `${role} lacks ${named}${more}: ${fix}`)
  }
  if (key?.given === null)
    add(
      'master_key',
      'master_key_missing',
      'is missing: set ASSAY_MASTER_KEY, or the ASSAY_KEYS made from it',
    )
  else if (key?.given instanceof Error)
    add('master_key', 'master_key_malformed', `cannot be used: ${key.given.message}`)
  else if (key && key.wanted !== null && key.given !== key.wanted)
    add(
      'master_key',
      'master_key_differs',
      'is another than the one this installation was sealed under: set ASSAY_MASTER_KEY to that one',
    )
  return faults
}
