// The quotas of the account, and how full each is. Guarantee: a quota that is full or nearly full is marked in words.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { widthsOf } from '../parts/bar.tsx'
import { count, percent } from '../parts/text.tsx'
import { page } from '../shell/page.ts'

type Quota = Schemas['Quota']

/** The share from which a quota counts as nearly full. */
const NEARLY = 0.8

export const isNearlyFull = ({ limit, used }: Quota): boolean =>
  limit !== null && used !== null && used >= limit * NEARLY

export const quotasPage = page({
  path: '/dashboard/quotas',
  async show({ api }) {
    const [{ data: account }, { data: quotas = [] }] = await Promise.all([
      api.GET('/v1/account'),
      api.GET('/v1/quotas'),
    ])
    return {
      title: 'Quotas',
      menu: 'quotas',
      cli: 'assay quotas',
      body: (
        <>
          <h1>Quotas of {account!.name}</h1>
          <p class="dim">
            What the account may have in all its projects together. More is refused; what is there stays.
            Whoever operates this installation sets them:{' '}
            <code>assay admin accounts quota {account!.id}</code>
          </p>
          <div class="bars">
            {quotas.map(quota => (
              <QuotaBar quota={quota} />
            ))}
          </div>
        </>
      ),
    }
  },
})

const QuotaBar = ({ quota }: { quota: Quota }) => {
  const { name, limit, used, unit, set_by, description } = quota
  return (
    <figure class="bar" id={name} data-live>
      <figcaption>{nameOf(name)}</figcaption>
      {limit !== null && used !== null && <Filled kind={kindOf(limit, used)} limit={limit} used={used} />}
      <ul class="legend">
        <li>
          <b>{amountOf(quota)}</b> {unit}
        </li>
        {limit !== null && used !== null && <li>{fullOf(limit, used)}</li>}
        <li class="dim">{set_by === 'operator' ? 'set by the operator' : 'default'}</li>
      </ul>
      <p class="dim">{description}</p>
    </figure>
  )
}

const WIDTH = 1000

const Filled = ({ kind, limit, used }: { kind: string; limit: number; used: number }) => {
  const [width = 0] = used === 0 ? [] : widthsOf([{ kind, label: '', value: Math.min(used, limit) }], limit)
  return (
    <svg viewBox={`0 0 ${WIDTH} 24`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-rest" width={WIDTH} height="24" />
      <rect class={`fill-${kind}`} width={width} height="24" />
    </svg>
  )
}

const nameOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

function amountOf({ limit, used }: Quota): string {
  if (used === null) return limit === null ? 'Any number of' : `At most ${count(limit)}`
  return limit === null ? `${count(used)} (no limit)` : `${count(used)} of ${count(limit)}`
}

const kindOf = (limit: number, used: number) =>
  used >= limit ? 'failed' : used >= limit * NEARLY ? 'degraded' : 'running'

function fullOf(limit: number, used: number): string {
  if (used > limit) return 'over the limit; that stays'
  if (used === limit) return 'full'
  return `${percent(used, limit)}${used >= limit * NEARLY ? ', nearly full' : ''}`
}
