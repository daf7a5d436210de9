// Searches the steps of all items: prompts, answers, tool calls and errors. Guarantee: the link holds the whole search;
// matches are shown as text with the hit marked.

import { OUTCOME_REASONS } from '../../../shared/grading/vocabulary.ts'
import { OUTCOMES } from '../../../shared/items/vocabulary.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { shellWord } from '../../../shared/kernel/shell-word.ts'
import { hitOf } from '../../../shared/kernel/snippet.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { anyAmong, Choice } from '../parts/choice.tsx'
import { ErrorCategories, ErrorDays, readErrorDays } from '../parts/error-categories.tsx'
import { Field } from '../parts/form.tsx'
import { findItemsById, type ItemsFound } from '../parts/jump-targets.ts'
import { List, linkWith, Pager } from '../parts/list.tsx'
import { readSavedViews, SavedViews } from '../parts/saved-views.tsx'
import { filterAsked, instantOf, rangeAsked, SearchQuery } from '../parts/search-query.ts'
import { shellOptions } from '../parts/shell-options.ts'
import { count, counted, money, Verdict, When } from '../parts/text.tsx'
import { ofItem, ofProject } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

export const searchPage = page({
  path: '/dashboard/projects/{projectId}/search',
  query: SearchQuery,
  async show({ api, params: { projectId: project_id }, query, request, ctx, member, now }) {
    const { cursor, q, from, to } = query
    const range = rangeAsked(query)
    const filter = filterAsked(query)
    const isSearch = Object.keys(filter).length + Object.keys(range).length > 0
    const [{ data: found }, { data: errors }, days, views, byId] = await Promise.all([
      isSearch
        ? api.GET('/v1/steps', {
            params: {
              query: {
                project_id,
                ...filter,
                ...range,
                ...(cursor === undefined ? { count: 'true' } : { cursor }),
                limit: LIMITS.search_page,
              },
            },
          })
        : { data: undefined },
      api.GET('/v1/steps/error-categories', { params: { query: { project_id, ...range } } }),
      isSearch ? [] : readErrorDays(api, project_id, ctx.now()),
      readSavedViews(api, project_id, 'search'),
      cursor === undefined ? itemsById(api, project_id, q?.trim()) : NONE,
    ])
    return {
      title: 'Search',
      project_id,
      menu: 'search',
      cli: commandOf(query),
      body: (
        <>
          <h1>Search</h1>
          <SavedViews list="search" {...{ views, project_id, request, member }} />
          <SearchForm query={query} />
          <ById {...byId} />
          {isSearch && <Scope query={query} found={found} request={request} />}
          {isSearch && <Found steps={found?.steps ?? []} q={q ?? ''} now={now} project_id={project_id} />}
          {isSearch && <Pager request={request} next={found?.next_cursor ?? null} />}
          {!isSearch && <WhatCanBeFound />}
          {days.length > 0 && <ErrorDays days={days} project_id={project_id} />}
          {errors !== undefined && cursor === undefined && (
            <ErrorCategories {...{ errors, project_id, now }} range={defined({ from, to })} />
          )}
        </>
      ),
    }
  },
})

const NONE: ItemsFound = { items: [], is_whole: true }

/** A single word with a digit may be the id of an item, or the number in one. */
const itemsById = (api: Client, project_id: string, word = '') =>
  /^\S*\d\S*$/.test(word) ? findItemsById(api, project_id, word) : NONE

const ById = ({ items, is_whole }: ItemsFound) =>
  !is_whole ? (
    <p class="dim">Items could not be looked up by their ids. Load this page again in a moment.</p>
  ) : items.length === 0 ? (
    ''
  ) : (
    <p id="by-id">
      {items.map(({ name, href }, at) => (
        <>
          {at === 0 ? 'By its own id: ' : ', '}
          <a href={href}>
            <bdi>{name}</bdi>
          </a>
        </>
      ))}
    </p>
  )

/** The same search on the command line. */
function commandOf({
  q,
  in: where,
  outcome,
  reason,
  item,
  run_id,
  min_cost,
  from,
  to,
  sort,
}: SearchQuery): string {
  const options = {
    in: q?.trim() && where !== 'everything' ? 'messages' : undefined,
    outcome,
    reason,
    prefix: item,
    run: run_id,
    'min-cost': min_cost?.toString(),
    from: instantOf(from),
    to: instantOf(to),
    sort,
  }
  return `assay search${q?.trim() ? ` ${shellWord(q.trim())}` : ''}${shellOptions(options)}`
}

const ORDERS = { '': 'latest first', cost: 'most expensive first' }

const SearchForm = ({ query }: { query: SearchQuery }) => (
  <form class="filters" method="get">
    <Field label="Words, a tool, an error code">
      <input type="search" name="q" value={query.q ?? ''} size={28} maxlength={LIMITS.search_characters} />
    </Field>
    <Choice name="outcome" label="Worked" options={anyAmong(OUTCOMES)} chosen={query.outcome} />
    <Choice
      name="reason"
      label="Why not"
      options={anyAmong(OUTCOME_REASONS, reasonMeaning)}
      chosen={query.reason}
    />
    <Field label="Item begins with">
      <input name="item" value={query.item ?? ''} size={14} />
    </Field>
    <Field label="Costs at least $">
      <input name="min_cost" inputmode="decimal" value={String(query.min_cost ?? '')} size={6} />
    </Field>
    <Field label="From (UTC)">
      <input type="datetime-local" name="from" value={query.from ?? ''} />
    </Field>
    <Field label="To (UTC)">
      <input type="datetime-local" name="to" value={query.to ?? ''} />
    </Field>
    <Choice name="sort" label="Order" options={ORDERS} chosen={query.sort} />
    {query.in && <input type="hidden" name="in" value={query.in} />}
    {query.run_id && <input type="hidden" name="run_id" value={query.run_id} />}
    <button class="primary">Search</button>
  </form>
)

interface ScopeProps {
  query: SearchQuery
  found: Schemas['StepPage'] | undefined
  request: Request
}

/** How many steps were found, where their words were looked for, and the link to where else they may be. */
const Scope = ({ query, found, request }: ScopeProps) => {
  const isEverything = query.in === 'everything'
  const other = linkWith(request, { in: isEverything ? undefined : 'everything', cursor: undefined })
  return (
    <p id="searched" data-live>
      {found?.total !== undefined && found.steps.length > 0 && <>{countOf(found)} </>}
      {query.q?.trim() && (
        <>
          {isEverything
            ? 'in everything: names, parameters of requests and schemas as well as messages.'
            : 'in messages: what people, models and tools wrote, and errors.'}{' '}
          <a href={other}>{isEverything ? 'Search messages' : 'Search everything'}</a>
        </>
      )}
    </p>
  )
}

/** @example '30 of more than 1,000 steps' */
function countOf({ steps, total = 0, more_than_total }: Schemas['StepPage']): string {
  if (more_than_total) return `${count(steps.length)} of more than ${counted(total, 'step')}`
  return total > steps.length ? `${count(steps.length)} of ${counted(total, 'step')}` : counted(total, 'step')
}

interface FoundProps {
  steps: readonly Schemas['Step'][]
  q: string
  now: number
  project_id: string
}

const Found = ({ steps, q, now, project_id }: FoundProps) => {
  const href = (step: Schemas['Step']) =>
    `${ofItem(step.record_id)}?step=${step.step_no}#step-${step.step_no}`
  return (
    <List
      id="found"
      rows={steps}
      columns={[
        {
          label: 'Where',
          cell: step => (
            <>
              <a href={href(step)}>
                <bdi>{step.name}</bdi>
              </a>
              <div class="dim">
                of <bdi>{step.item_id}</bdi>
              </div>
            </>
          ),
        },
        { label: 'Item worked', cell: step => <Verdict of={step.item_outcome_status} /> },
        { label: 'Step', cell: step => <Verdict of={step.outcome_status} /> },
        { label: 'Found', cell: step => <Snippet step={step} q={q} /> },
        { label: 'Cost', numeric: true, cell: step => (step.cost_usd > 0 ? money(step.cost_usd) : '') },
        { label: 'When', numeric: true, cell: step => <When at={step.started_at} now={now} /> },
      ]}
      empty={
        <>
          <p>
            No step fits. <a href={ofProject(project_id, 'search')}>Show all</a>
          </p>
          <Limits />
        </>
      }
    />
  )
}

const FIELDS: Record<string, string> = {
  error_message: 'error',
  error_code: 'error code',
  name: 'name',
  input: 'in',
  output: 'out',
}

const Snippet = ({ step, q }: { step: Schemas['Step']; q: string }) => {
  if (step.snippet === null) {
    const said =
      step.error_message ?? (step.outcome_reason === null ? '' : reasonMeaning(step.outcome_reason))
    return <bdi>{said}</bdi>
  }
  const [before, hit, after] = hitOf(step.snippet.text, q)
  return (
    <>
      <span class="dim">{FIELDS[step.snippet.field]}</span>{' '}
      <bdi dir="auto">
        {before}
        <mark>{hit}</mark>
        {after}
      </bdi>
    </>
  )
}

const WhatCanBeFound = () => (
  <div class="empty">
    <p>
      Search finds steps: what was said to a model and what it answered, tools, what they took and gave,
      errors.
    </p>
    <Limits />
  </div>
)

const Limits = () => (
  <p class="dim">
    Every word must occur; the last one may be the beginning of one. The first{' '}
    {LIMITS.search_text_characters.toLocaleString('en')} characters of each input and output are searched.
    What an agent printed, logs of containers and of providers are not recorded, and what retention has taken
    is not found.
  </p>
)
