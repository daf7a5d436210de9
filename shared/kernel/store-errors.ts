// Explains the errors of the PostgreSQL and Redis drivers. Guarantee: a fault that a person has to fix is distinguished
// from a store that is only away, with what to do; the text holds no password.

export const STORES = { DATABASE: 'PostgreSQL', REDIS: 'Redis' } as const
/** The prefix of the store's settings. */
export type StoreName = keyof typeof STORES

export interface StoreFault {
  code: string
  /** Follows the name of the store in a sentence. */
  says: string
  fix: string
  /** It may pass by itself: a starting process waits for it. */
  passes?: true
  /** The store does part of its work, and the process works with that. */
  isPartial?: true
}

type FaultOf = (store: StoreName, error: Error) => StoreFault

const notTrusted =
  (fix: (store: StoreName) => string): FaultOf =>
  (store, { message }) => ({
    code: store === 'DATABASE' ? 'postgres_not_trusted' : 'redis_not_trusted',
    says: `was not trusted (${message})`,
    fix: fix(store),
  })

const ca = notTrusted(store => `name the file with the certificate of its CA (PEM) by ${store}_CA_FILE`)

/** Uses the message of the code that refused the URL; it begins with the name of the setting. */
const refusedSetting =
  (says: string): FaultOf =>
  (_, error) => ({
    code: (error as Error & { code: string }).code,
    says,
    fix: error.message.replace(/\.$/, ''),
  })
const unusableUrl = refusedSetting('has no URL that can be used')

/** Faults by Node's TLS code, PostgreSQL's SQLSTATE, or the code of a refused URL. */
const BY_CODE: Record<string, FaultOf> = {
  setting_missing: unusableUrl,
  setting_invalid: refusedSetting('has a setting that cannot be used'),
  database_url_unusable: unusableUrl,
  redis_url_unusable: unusableUrl,
  SELF_SIGNED_CERT_IN_CHAIN: ca,
  DEPTH_ZERO_SELF_SIGNED_CERT: ca,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ca,
  UNABLE_TO_GET_ISSUER_CERT: ca,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ca,
  CERT_SIGNATURE_FAILURE: ca,
  ERR_TLS_CERT_ALTNAME_INVALID: notTrusted(
    store =>
      `${store}_URL must name the server as its certificate does${store === 'DATABASE' ? '; sslmode=verify-ca does without' : ''}`,
  ),
  CERT_HAS_EXPIRED: notTrusted(() => 'renew the certificate of the server, or set the clock here right'),
  CERT_NOT_YET_VALID: notTrusted(() => 'set the clock here right'),
  '28P01': () => refusedLogin('DATABASE'),
  '28000': () => ({
    code: 'postgres_refused_login',
    says: 'does not let this user in from here',
    fix: 'allow the user in pg_hba.conf; if that requires TLS, add ?sslmode=require to DATABASE_URL',
  }),
  '3D000': noSuchDatabase,
  '42501': () => ({
    code: 'postgres_not_permitted',
    says: 'refuses this role a right that the work needs',
    fix: 'node infra/migrate.ts --grants ROLE prints what the role of DATABASE_URL needs',
  }),
  '53300': () => ({
    code: 'postgres_full',
    says: 'has no connection left',
    fix: 'raise max_connections, or put a pooler in front of it',
    passes: true,
  }),
  '53100': diskFull,
  '53200': () => ({
    code: 'postgres_out_of_memory',
    says: 'had too little memory for a statement',
    fix: 'give it more memory, or lower max_connections or work_mem there',
    passes: true,
    isPartial: true,
  }),
  '25006': () => ({
    code: 'postgres_read_only',
    says: 'takes no writes: it is not the primary, or was made read-only, as providers do when its disk is full',
    fix: 'set DATABASE_URL to the primary, or free space',
    passes: true,
    isPartial: true,
  }),
  '57P03': () => ({
    code: 'postgres_starting',
    says: 'is starting or stopping',
    fix: 'wait',
    passes: true,
  }),
}

function diskFull(): StoreFault {
  return {
    code: 'postgres_disk_full',
    says: 'takes no writes, because its disk is full',
    fix: 'free space there, or give it a larger disk; everything then continues by itself',
    passes: true,
    isPartial: true,
  }
}

const WANTED: Record<string, string> = {
  OOM: 'memory (maxmemory)',
  MISCONF: 'room on its disk',
  NOREPLICAS: 'replicas (min-replicas-to-write)',
}

/** Messages of poolers, drivers and Redis that have no code of their own, or one that says too little. */
const BY_MESSAGE: [words: RegExp, FaultOf][] = [
  // PostgreSQL's driver begins TLS even with a server that has said it has none.
  [/before secure TLS connection was established|began no TLS/, noTls],
  [
    /unsupported startup parameter/,
    () => ({
      code: 'pooler_not_named',
      says: 'is behind a pooler, which keeps no session',
      fix: 'add ?pgbouncer=true to DATABASE_URL',
    }),
  ],
  [
    /^unrecognized configuration parameter "(\w+)"/,
    (_, { message }) => ({
      code: 'database_url_unusable',
      says: `does not know a parameter that its URL has (${message.slice(0, 80)})`,
      fix: 'leave it out of DATABASE_URL',
    }),
  ],
  [/^no such database/, noSuchDatabase],
  [/^no such user|^(server login .*)?(SASL|password) authentication failed/, () => refusedLogin('DATABASE')],
  [
    /^(server login |cannot connect to server)/,
    () => ({
      code: 'postgres_behind_pooler',
      says: 'cannot be reached by the pooler in front of it',
      fix: 'start it; if it runs, see the log of the pooler',
      passes: true,
    }),
  ],
  [
    /^(query_wait_timeout|client_login_timeout)/,
    () => ({
      code: 'pooler_gave_up',
      says: 'gave no connection in time through the pooler in front of it',
      fix: 'start it if it is away; otherwise raise default_pool_size of the pooler',
      passes: true,
    }),
  ],
  [/^(WRONGPASS|NOAUTH)\b|invalid username-password|called without any password/, refusedLogin],
  [
    /^NOPERM\b/,
    (_, { message }) => ({
      code: 'redis_not_permitted',
      says: `refuses a command to the user of REDIS_URL (${message.replace(/^NOPERM /, '').slice(0, 120)})`,
      fix: 'infra/README.md lists the commands that are sent',
    }),
  ],
  [
    /^(MOVED|CROSSSLOT)\b/,
    () => ({
      code: 'redis_is_a_cluster',
      says: 'is a node of a cluster',
      fix: 'add ?cluster=true to REDIS_URL',
    }),
  ],
  [
    /^READONLY\b/,
    () => ({
      code: 'redis_is_a_replica',
      says: 'is a replica that takes no writes',
      fix: 'set REDIS_URL to its master',
      isPartial: true,
    }),
  ],
  [
    /^(OOM|MISCONF|NOREPLICAS)\b/,
    (_, { message }) => ({
      code: 'redis_takes_no_writes',
      says: `takes no writes, because it lacks ${WANTED[message.split(' ')[0]!]}`,
      fix: 'see its log; everything continues by itself when it takes writes again',
      isPartial: true,
    }),
  ],
  [/(No space left on device|Disk quota exceeded)$/, diskFull],
  [
    /^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN)\b/,
    () => ({ code: 'redis_starting', says: 'is not ready itself', fix: 'wait', passes: true }),
  ],
]

function refusedLogin(store: StoreName): StoreFault {
  return {
    code: store === 'DATABASE' ? 'postgres_refused_login' : 'redis_refused_login',
    says: `refused the user or the password of ${store}_URL`,
    fix: 'set the right ones; characters such as @ : / # % are written as %40 %3A %2F %23 %25 there',
  }
}

function noSuchDatabase(): StoreFault {
  return {
    code: 'no_such_database',
    says: 'has no database of the name in DATABASE_URL',
    fix: 'create it, or name another',
  }
}

function noTls(store: StoreName): StoreFault {
  return {
    code: store === 'DATABASE' ? 'postgres_without_tls' : 'redis_without_tls',
    says: 'takes no TLS there',
    fix:
      store === 'DATABASE'
        ? 'switch ssl on there, or leave sslmode out of DATABASE_URL'
        : 'switch tls-port on there, or begin REDIS_URL with redis://',
  }
}

/** The fault behind an error or its causes; undefined where the store cannot be reached, or the fault is unknown. */
export function storeFault(error: unknown, store: StoreName): StoreFault | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { message } = one
    const found =
      BY_CODE[(one as { code?: string }).code ?? ''] ?? BY_MESSAGE.find(([words]) => words.test(message))?.[1]
    if (found) return found(store, one)
  }
  return undefined
}

/** The code of the innermost error that has one, such as ECONNREFUSED; it names no host. */
export function codeOf(error: unknown): string {
  let code = ''
  for (let one = error; one instanceof Error; one = one.cause) {
    const given = (one as { code?: unknown }).code
    if (typeof given === 'string') code = given
  }
  return code
}

/** The fault as one sentence. */
export const sayFault = (store: StoreName, { says, fix }: StoreFault): string =>
  `${STORES[store]} ${says}: ${fix}.`
