// The report of a pilot: the results of its items, what the rest of the file would cost, and the choice to submit it.

import type { Schemas } from '../../../shared/sdk/client.ts'
import type { Outlook } from '../../../shared/submission/rules/pilot.ts'
import { ranItems } from '../../../shared/view/worked-share.ts'
import { ofItem, ofRun } from '../shell/addresses.ts'
import { Bar, ranParts, workedParts } from './bar.tsx'
import { Fact } from './fact.tsx'
import { List } from './list.tsx'
import { ShareOk } from './share-ok.tsx'
import { Said } from './submit-form.tsx'
import { isPasted, ORDER_FIELDS, type OrderFields, orderQuery, type PilotSource } from './submit-order.ts'
import { brief, cents, count, counted, money, RunState, span, Verdict } from './text.tsx'

interface Props {
  action: string
  run: Schemas['Run']
  notOk: readonly Schemas['RunItem'][]
  ok: readonly Schemas['RunItem'][]
  /** Undefined while items are still running. */
  outlook: Outlook | undefined
  /** Of the rest; undefined while that is not known. */
  estimate: Schemas['Estimate'] | undefined
  fields: OrderFields
  file: PilotSource
  mayNot: boolean
}

export const PilotReport = ({ action, run, notOk, ok, outlook, estimate, fields, file, mayNot }: Props) => {
  const fits = ok.length > 0 || !notOk.every(isRefusedInput)
  return (
    <>
      <h1>
        Pilot: {count(run.total_items)} of {counted(file.rows, 'item')}
      </h1>
      <p id="pilot-state" data-live>
        <RunState of={run} /> · <ShareOk of={run} /> · {run.agent_slug} · {money(run.cost_usd)} · from all
        over <span class="file">{file.file}</span> · <a href={ofRun(run.id)}>the run</a>
      </p>
      <Bar id="ran" title="Did it run" parts={ranParts(run)} total={run.total_items} />
      <Bar
        id="worked"
        title="Did it work"
        parts={workedParts(run)}
        total={run.total_items}
        share_of={ranItems(run)}
      />
      <div id="pilot-outlook" data-live>
        {notOk.length > 0 && (
          <>
            <h2>What did not work</h2>
            <Failures notOk={notOk} />
          </>
        )}
        {notOk.length + ok.length > 0 && <Answers items={[...notOk, ...ok]} of={run.total_items} />}
        {outlook === undefined ? (
          <p class="empty">The pilot is at work. What the rest would come to stands here when it is done.</p>
        ) : (
          <Rest outlook={outlook} estimate={estimate} run={run} fits={fits} />
        )}
        {outlook !== undefined &&
          (mayNot || !fits || outlook.rows === 0 || outlook.budget_cents === 0 ? (
            <p class="actions">
              {!fits && (
                <a class="button primary" href={`${action}?${orderQuery(fields)}`}>
                  Change the columns
                </a>
              )}
              <Stop run_id={run.id} />
            </p>
          ) : (
            <GoOn action={action} fields={fields} file={file} took={run.total_items} outlook={outlook} />
          ))}
      </div>
    </>
  )
}

/** Whether the item's input did not fit the schema that the agent declares. */
const isRefusedInput = ({ error_code }: Schemas['RunItem']) => error_code === 'invalid_input'

const Stop = ({ run_id }: { run_id: string }) => (
  <a class="button" href={ofRun(run_id)}>
    Stop here
  </a>
)

/** Items grouped by the same message, the most frequent first. */
const Failures = ({ notOk }: { notOk: Props['notOk'] }) => {
  const why = (item: Schemas['RunItem']) =>
    item.error_message ?? item.degraded_reason ?? item.outcome_reason ?? item.status.replaceAll('_', ' ')
  const groups = [...Map.groupBy(notOk, why)].sort(([, a], [, b]) => b.length - a.length)
  return (
    <List
      id="failures"
      rows={groups}
      columns={[
        { label: 'Why', cell: ([words]) => words },
        { label: 'Worked', cell: ([, items]) => <Verdict of={items[0]!.worst_outcome_status ?? null} /> },
        { label: 'Such as', cell: ([, items]) => <a href={ofItem(items[0]!.id)}>{items[0]!.item_id}</a> },
        { label: 'Items', numeric: true, cell: ([, items]) => count(items.length) },
      ]}
      empty=""
    />
  )
}

const ANSWERS_SHOWN = 10

/** The first answers, those that did not work first. */
const Answers = ({ items, of }: { items: Props['ok']; of: number }) => (
  <>
    <h2>
      What they answered{' '}
      <span class="dim">
        {count(Math.min(ANSWERS_SHOWN, items.length))} of {count(of)}
      </span>
    </h2>
    <List
      id="answers"
      rows={items.slice(0, ANSWERS_SHOWN)}
      columns={[
        { label: 'Item', cell: item => <a href={ofItem(item.id)}>{item.item_id}</a> },
        { label: 'Worked', cell: item => <Verdict of={item.worst_outcome_status ?? null} /> },
        { label: 'Input', cell: item => <Payload of={item.input} /> },
        { label: 'Output', cell: item => <Payload of={item.output} /> },
        { label: 'Cost', numeric: true, cell: item => money(item.cost_usd) },
      ]}
      empty=""
    />
  </>
)

const Payload = ({ of }: { of: unknown }) => {
  const text = brief(of)
  return text === '' ? <span class="dim">none</span> : <code>{text}</code>
}

type RestOf = Pick<Props, 'estimate' | 'run'> & { outlook: Outlook; fits: boolean }

const Rest = ({ outlook, estimate, run, fits }: RestOf) => {
  const { rows, cost_usd, unpriced, took_ms, ok_share, budget_cents, affordable } = outlook
  return (
    <>
      <h2>The other {counted(rows, 'item')}, if they are like these</h2>
      <dl class="facts">
        <Fact name="Cost, about">
          {unpriced && 'at least '}
          {money(cost_usd)}
        </Fact>
        <Fact name="Ok, about">{count(Math.round(rows * ok_share))}</Fact>
        {estimate?.seconds == null ? (
          <Fact name="Time, at this pace">{took_ms > 0 ? span(took_ms) : '—'}</Fact>
        ) : (
          <Fact name="Time">{estimate.message}</Fact>
        )}
        {budget_cents !== null && <Fact name="Left of the budget">{cents(budget_cents)}</Fact>}
      </dl>
      {unpriced && (
        <p class="dim">A model without a known price was called: what it costs is not in the sum.</p>
      )}
      {ok_share === 0 && (
        <p class="v-failed">
          {fits
            ? 'No item of the pilot is ok. Fix the agent before you go on.'
            : `The columns do not fit: ${run.agent_slug} refused every input. Choose other columns before you go on.`}
        </p>
      )}
      {run.paused > 0 && <p class="dim">{counted(run.paused, 'item')} of the pilot still wait to go on.</p>}
      {budget_cents === 0 && (
        <p class="v-failed">The pilot used up the budget: nothing is left for the rest.</p>
      )}
      {budget_cents !== 0 && affordable !== null && (
        <p class="v-degraded">
          The budget is enough for about {count(affordable)} of them; the others would end as over budget.
        </p>
      )}
    </>
  )
}

/** Submits the rest. The browser holds the file while the page stays open; a page opened again asks for it. */
const GoOn = ({
  action,
  fields,
  file,
  took,
  outlook,
}: Pick<Props, 'action' | 'fields' | 'file'> & { took: number; outlook: Outlook }) => {
  const left = outlook.budget_cents === null ? undefined : (outlook.budget_cents / 100).toFixed(2)
  const order = { ...fields, budget_usd: left }
  const state = { took, rows: file.rows, bytes: file.bytes }
  return (
    <form class="stack submit" method="post" enctype="multipart/form-data" action={action} data-submit>
      {ORDER_FIELDS.flatMap(name =>
        order[name] ? [<input type="hidden" name={name} value={order[name]} />] : [],
      )}
      {Object.entries(state).map(([name, value]) => (
        <input type="hidden" name={name} value={String(value)} />
      ))}
      {isPasted(file.file) ? (
        <label class="choose-again">
          <span class="label">Paste the same lines again: they were not kept.</span>
          <textarea name="lines" dir="auto" spellcheck={false} />
          <input type="hidden" name="format" value={file.file.slice('pasted.'.length)} />
        </label>
      ) : (
        <label class="drop choose-again">
          <span>
            <b>Choose {file.file} again</b>: the file stayed on your machine, and this page no longer holds
            it.
          </span>
          <input type="file" name="file" />
        </label>
      )}
      <Said />
      <div class="actions">
        <button class="primary">Go on with the other {count(outlook.rows)}</button>
        <Stop run_id={file.run_id} />
      </div>
    </form>
  )
}
