// Runs our own PostgreSQL in the data folder, on loopback, with durable settings. Guarantee: its data survives any
// kill, it starts again without help, and no file that lies in the folder sets anything.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import postgres from 'postgres'
import type { Child, Owner } from './child.ts'
import { writePrivately } from './data-folder.ts'
import { ExitError } from './exit-error.ts'
import { postgresBinaries, SYSTEM_FOLDER } from './postgres-binaries.ts'
import { DATABASE, type Remembered, readRemembered, remember, USER, urlOf } from './remembered.ts'
import { asStore, launch, type Store } from './store.ts'
import { canReach, systemUser } from './system-user.ts'

const run = promisify(execFile)

export interface PostgresOptions {
  /** The caller holds this folder's lock. */
  dataDir: string
  say?: (line: string) => void
  /** Most connections at once; one process needs few, since it pools them. */
  connections?: number
  /**
   * Whether commits outlast a crash of the machine; true by default. Without it the kill of any process still loses none,
   * but `migrate` refuses the server, unless its caller accepts that too.
   */
  durable?: boolean
  /** More settings of PostgreSQL, over those of `npm start`. */
  settings?: Record<string, string>
}

export async function startPostgres(options: PostgresOptions): Promise<Store> {
  const { dataDir, say = () => {}, connections = 60, durable = true, settings: more = {} } = options
  const known = await readRemembered(dataDir)
  const user = systemUser()
  const { place, owner } = await choosePlace(dataDir, known, user, say)
  const remembered: Remembered = known ?? { password: randomBytes(24).toString('hex') }
  if (place !== dataDir) remembered.elsewhere = place
  // Written before the cluster is created, so that no cluster exists whose password is unknown.
  await remember(dataDir, remembered)

  const programs = postgresBinaries(owner)
  const folder = join(place, 'postgres')
  if (!(await exists(join(folder, 'PG_VERSION'))))
    await makeCluster(programs, folder, owner, remembered.password)
  const { child, port } = await launch({
    name: 'PostgreSQL',
    folder,
    program: /^postgres/,
    pidFile: join(folder, 'postmaster.pid'),
    port: remembered.port,
    child: {
      cwd: folder,
      log: join(dataDir, 'postgres.log'),
      endSignal: 'SIGINT', // a fast shutdown: ends sessions and writes everything
      owner,
    },
    async prepare(port) {
      // No process uses the folder by now; a leftover pid file may name an unrelated process that got that pid.
      await rm(join(folder, 'postmaster.pid'), { force: true })
      await writeSettings(folder, settings(port, connections, durable) + linesOf(more))
      return [join(programs, 'bin', 'postgres'), ['-D', folder]]
    },
    ready: child => isReady(folder, child),
    // Backends of a killed postmaster notice that soon and detach from its shared memory.
    recover: async output => /pre-existing shared memory block/.test(output) && (await delay(200, true)),
  })
  remembered.port = port
  await remember(dataDir, remembered)
  const url = urlOf(remembered)
  await ensureDatabase(url)
  return asStore(url, port, child)
}

/** Returns the folder of the cluster, and the user it runs as. */
async function choosePlace(
  dataDir: string,
  known: Remembered | undefined,
  user: Owner | undefined,
  say: (line: string) => void,
): Promise<{ place: string; owner: Owner | undefined }> {
  const place = known?.elsewhere ?? dataDir
  const cluster = await stat(join(place, 'postgres')).catch(() => undefined)
  if (cluster !== undefined) {
    if (known === undefined) {
      throw new ExitError(
        'data_folder_unusable',
        `${join(place, 'postgres')} holds a database, but ${join(dataDir, 'postgres.json')} with its password is gone. Restore that file, or move the folder away to begin anew.`,
      )
    }
    // Root takes over the cluster unchanged; the user who made it stays its owner.
    const owner = user && (cluster.uid === 0 ? user : { uid: cluster.uid, gid: cluster.gid })
    if (canReach(owner, place)) return { place, owner }
    throw new ExitError(
      'data_folder_unusable',
      `the database in ${place} belongs to user ${owner?.uid ?? cluster.uid}, who can no longer pass through the folders above it. Give them back their x permission, or move the data folder.`,
    )
  }
  if (known?.elsewhere !== undefined) {
    throw new ExitError(
      'data_folder_unusable',
      `this data folder keeps its database in ${place}, which is gone. Restore it, or move ${dataDir} away to begin anew.`,
    )
  }
  if (canReach(user, dataDir)) return { place, owner: user }
  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 })
  const elsewhere = await mkdtemp(join(SYSTEM_FOLDER, 'data-'))
  await chown(elsewhere, user!.uid, user!.gid)
  say(
    `the database is kept in ${elsewhere}: PostgreSQL does not run as root, and ${dataDir} is closed to others`,
  )
  return { place: elsewhere, owner: user }
}

/**
 * Creates the cluster next to its place and moves it when complete, so that a killed start leaves nothing half done.
 */
async function makeCluster(programs: string, folder: string, owner: Owner | undefined, password: string) {
  const staging = `${folder}.new`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { mode: 0o700 })
  const secrets = await mkdtemp(join(tmpdir(), 'assay-initdb-'))
  const passwordFile = join(secrets, 'password')
  try {
    await writeFile(passwordFile, password, { mode: 0o600 })
    if (owner !== undefined) {
      for (const path of [staging, secrets, passwordFile]) await chown(path, owner.uid, owner.gid)
    }
    const args = ['-D', staging, '-U', USER, '--pwfile', passwordFile, '--auth', 'scram-sha-256']
    // Text compares by code point, the same on every machine, whatever locales it has.
    args.push(
      '--encoding',
      'UTF8',
      '--locale',
      'C',
      '--locale-provider',
      'builtin',
      '--builtin-locale',
      'C.UTF-8',
    )
    await run(join(programs, 'bin', 'initdb'), args, {
      ...owner,
      cwd: staging,
      env: { PATH: process.env.PATH ?? '' },
    }).catch(error => {
      throw new ExitError(
        'initdb_failed',
        `making the database failed: ${error.stderr?.trim() || error.message}`,
      )
    })
    await rename(staging, folder)
  } finally {
    await rm(secrets, { recursive: true, force: true })
  }
}

const linesOf = (settings: Record<string, string>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('')

/**
 * Replaces every file that PostgreSQL reads settings from: one of a folder that came from elsewhere may name programs to
 * run, such as an `archive_command`, or let anybody in.
 */
async function writeSettings(folder: string, own: string): Promise<void> {
  await writePrivately(join(folder, 'postgresql.conf'), own)
  await writePrivately(
    join(folder, 'postgresql.auto.conf'),
    '# ALTER SYSTEM is off: this file is emptied at every start.\n',
  )
  await writePrivately(join(folder, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n')
  await writePrivately(join(folder, 'pg_ident.conf'), '')
}

// Little memory and much WAL: the load is short writing statements from one process on the same machine.
function settings(port: number, connections: number, durable: boolean): string {
  return `# Written anew at every start, like the other files of settings here.
allow_alter_system = off
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = ''
max_connections = ${connections}
password_encryption = 'scram-sha-256'
fsync = ${durable ? 'on' : 'off'}
full_page_writes = ${durable ? 'on' : 'off'}
synchronous_commit = on
shared_buffers = 128MB
work_mem = 8MB
maintenance_work_mem = 64MB
io_method = sync # three processes fewer; everything hot is in memory
max_logical_replication_workers = 0 # nothing is replicated: one fewer
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0
jit = off
random_page_cost = 1.1
max_wal_size = 2GB
min_wal_size = 256MB
checkpoint_timeout = 15min
autovacuum_naptime = 15s
autovacuum_max_workers = 2
autovacuum_vacuum_scale_factor = 0.1
autovacuum_analyze_scale_factor = 0.05
autovacuum_vacuum_cost_limit = 1000
timezone = 'UTC'
log_timezone = 'UTC'
log_checkpoints = off
log_line_prefix = '%m [%p] '
`
}

/** The postmaster writes its status into the last line of the pid file. */
async function isReady(folder: string, child: Child): Promise<boolean> {
  const lines = (await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return lines[0] === String(child.pid) && lines[7]?.trim() === 'ready'
}

async function ensureDatabase(url: string): Promise<void> {
  const sql = postgres(url, { database: 'postgres', max: 1, onnotice: () => {} })
  try {
    const [found] = await sql`select 1 from pg_database where datname = ${DATABASE}`
    if (found === undefined) await sql`create database ${sql(DATABASE)}`
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
