// The versions of the code that items ended by, as the answers named them, and what they came to.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { OTHER_VERSIONS } from '../../../shared/view/model-calls.ts'
import { type Column, figure, List } from './list.tsx'
import { count, money, When } from './text.tsx'

type CodeVersion = Schemas['CodeVersion']

const share = (of: (row: CodeVersion) => number) => (row: CodeVersion) =>
  row.items === 0 || of(row) === 0
    ? count(of(row))
    : `${count(of(row))} (${((100 * of(row)) / row.items).toFixed(1)} %)`

const VERSION: Column<CodeVersion> = {
  label: 'Version',
  cell: ({ version }) => (version === null ? 'others' : <bdi>{version}</bdi>),
}
const FIGURES: readonly Column<CodeVersion>[] = [
  figure('Items', row => row.items),
  figure('Ok', row => row.ok),
  { label: 'Degraded', numeric: true, value: row => row.degraded, cell: share(row => row.degraded) },
  { label: 'Failed', numeric: true, value: row => row.failed, cell: share(row => row.failed) },
  figure('Cost', row => row.cost_usd, money),
  figure('Cost per item', row => (row.items === 0 ? 0 : row.cost_usd / row.items), money),
]

const Others = ({ of }: { of: readonly CodeVersion[] }) =>
  of.some(({ version }) => version === null) ? <p class="dim">{OTHER_VERSIONS}</p> : null

/** Of a run; nothing where no answer named its version. `ended` is how many of its items have ended. */
export const VersionsOfRun = ({ run }: { run: Schemas['Run'] }) => {
  const { code_versions: versions = [], completed, failed } = run
  if (versions.length === 0) return <div id="code-versions" data-live />
  const without = completed + failed - versions.reduce((sum, { items }) => sum + items, 0)
  return (
    <div id="code-versions" data-live>
      <h2>By version of the code</h2>
      <List id="code-version-list" rows={versions} columns={[VERSION, ...FIGURES]} empty="" />
      {without > 0 && <p class="dim">{count(without)} ended without an answer that named its version.</p>}
      <Others of={versions} />
    </div>
  )
}

type Side = CodeVersion & { side: string }

/** Of two runs, side by side. */
export const VersionsCompared = ({
  sides,
}: {
  sides: readonly (readonly [name: string, Schemas['Run']])[]
}) => {
  const rows = sides.flatMap(([side, { code_versions = [] }]) =>
    code_versions.map((one): Side => ({ ...one, side })),
  )
  if (rows.length === 0) return null
  const columns: Column<Side>[] = [{ label: 'Run', cell: row => row.side }, VERSION, ...FIGURES]
  return (
    <>
      <h2>By version of the code</h2>
      <List id="code-versions" rows={rows} columns={columns} empty="" />
      <Others of={rows} />
    </>
  )
}

type Seen = Schemas['SeenCodeVersion']

/** Of an agent, over its latest runs. */
export const VersionsOfAgent = ({ versions, now }: { versions: readonly Seen[]; now: number }) => {
  if (versions.length === 0) return null
  const seen: Column<Seen> = { label: 'First seen', cell: row => <When at={row.first_seen_at} now={now} /> }
  return (
    <>
      <h2>Code that answered</h2>
      <p class="dim">As its answers name it, for the current version, over the latest runs.</p>
      <List id="code-versions" rows={versions} columns={[VERSION, seen, ...FIGURES]} empty="" />
    </>
  )
}
