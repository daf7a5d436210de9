// Makes and reads ids. They are UUIDv7: ordered by time, and the time can be read from them. Guarantee: an item's
// record id and its (run, seq) can be computed from each other, so neither needs an index.

export type FillRandom = (bytes: Uint8Array) => void

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const MAX_SEQ = 0x7fff_ffff // maximum of PostgreSQL's integer
/** Characters of a UUID before its last 32 bits. */
const STEM = 28

export function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text)
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** A UUIDv7: 48 bits of milliseconds, 74 random bits. */
export function newId(nowMs: number, random: FillRandom): string {
  const bytes = new Uint8Array(10)
  random(bytes)
  let hex = ''
  for (const byte of bytes) hex += HEX[byte]
  const variant = '89ab'[bytes[2]! & 3]
  return `${timePart(nowMs)}-7${hex.slice(0, 3)}-${variant}${hex.slice(5, 8)}-${hex.slice(8, 20)}`
}

/** A UUIDv7 whose last 32 bits are zero; 42 random bits remain to distinguish runs of one millisecond. */
export function newRunId(nowMs: number, random: FillRandom): string {
  return `${newId(nowMs, random).slice(0, STEM)}00000000`
}

/** Whether an id is a run's: one in four billion other ids looks like one. */
export const isRunId = (id: string) => isUuid(id) && id.endsWith('00000000')

/** The id of item number `seq` (from 1) of a run. */
export function itemRecordId(runId: string, seq: number): string {
  if (!(seq >= 1 && seq <= MAX_SEQ)) throw new RangeError(`seq ${seq} is outside 1 to ${MAX_SEQ}`)
  return runId.slice(0, STEM) + seq.toString(16).padStart(8, '0')
}

/** Names an agent by its project too, which says where a cluster has it. */
export interface AgentKey {
  project_id: string
  agent_id: string
}

/** Where the rows of a run are: the primary key of each table with rows of runs begins with these columns. */
export interface RunKey {
  project_id: string
  run_id: string
}

export interface ItemKey extends RunKey {
  seq: number
}

export const runKeyOf = ({ project_id, id }: { project_id: string; id: string }): RunKey => ({
  project_id,
  run_id: id,
})

/** The run and seq that itemRecordId was given; undefined when the text cannot be an item's record id. */
export function parseItemRecordId(id: string): { run_id: string; seq: number } | undefined {
  if (id.length !== 36 || !UUID_V7.test(id)) return undefined
  const seq = Number.parseInt(id.slice(STEM), 16)
  if (seq === 0 || seq > MAX_SEQ) return undefined
  return { run_id: `${id.slice(0, STEM).toLowerCase()}00000000`, seq }
}

/** The milliseconds since 1970 at which a UUIDv7 was made. */
export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** The smallest UUIDv7 of a millisecond: ids made before it are smaller, ids made from then on are not. */
export function firstIdAt(ms: number): string {
  return `${timePart(ms)}-7000-8000-000000000000`
}

function timePart(ms: number): string {
  const hex = Math.floor(ms).toString(16).padStart(12, '0')
  if (!(ms >= 0) || hex.length > 12) throw new RangeError(`${ms} ms is no time a UUIDv7 can hold`)
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}
