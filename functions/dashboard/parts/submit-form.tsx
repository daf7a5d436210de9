// The form that submits a file of items: its agent, the mapping of fields, and the limits of the run.

import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofProject } from '../shell/addresses.ts'
import { AMOUNT_HINT } from '../shell/dollars.ts'
import { Field } from './form.tsx'
import { AllowUnpriced } from './start-fields.tsx'
import { GUESSED, type OrderFields } from './submit-order.ts'
import { Code } from './text.tsx'

export type Entered = OrderFields & { lines?: string | undefined; format?: string | undefined }
/** Names of fields that hold a guess. */
export type Guessed = readonly string[]

interface Props {
  project_id: string
  agents: readonly Schemas['Agent'][]
  entered: Entered
  wrong: readonly string[] | undefined
  guessed: Guessed
  /** The member's role may not submit. */
  mayNot: boolean
}

export const SubmitForm = ({ project_id, agents, entered, wrong, guessed, mayNot }: Props) => {
  if (mayNot)
    return (
      <div class="empty">
        <p>
          Operator role required. Your role is viewer: it reads, and starts nothing. An owner can change it
          under <a href="/dashboard/members">Members</a>.
        </p>
      </div>
    )
  if (agents.length === 0)
    return (
      <div class="empty">
        <p>Items are for an agent, and this project has none yet. Deploy one, then come back:</p>
        <Code>assay init my-agent{'\n'}assay deploy my-agent/agent.ts</Code>
      </div>
    )
  const action = ofProject(project_id, 'submit')
  return (
    <form
      class="stack submit"
      method="post"
      enctype="multipart/form-data"
      action={action}
      data-submit
      novalidate
    >
      <Field label="Agent">
        <select name="agent" required>
          {agents.map(one => (
            <option value={one.slug} selected={one.slug === entered.agent}>
              {one.slug}
              {one.deployed_version === null && ' (nothing deployed yet)'}
            </option>
          ))}
        </select>
      </Field>
      <Source entered={entered} />
      <Mapping entered={entered} guessed={guessed} />
      <p id="misfit" class="v-degraded" role="status" />
      <Bounds entered={entered} />
      <Said wrong={wrong} />
      <Ways />
    </form>
  )
}

const Ways = () => (
  <>
    <div class="actions">
      <button class="primary" name="pilot" value="yes">
        Run {LIMITS.pilot_items} first
      </button>
      <button>Submit all</button>
    </div>
    <p class="dim hint">
      The first {LIMITS.pilot_items} are taken from all over the file. When they have run you see how they
      answered, what they cost and what did not work, and go on with the rest or stop.
    </p>
  </>
)

const Source = ({ entered }: { entered: Entered }) => (
  <fieldset class="stack">
    <label class="drop">
      <span>
        <b>Drop a file here</b>, or choose one: JSON (lines or an array), or CSV or TSV with names in its
        first line; packed with gzip or zstd or not. Excel and Parquet: by <code>assay submit</code>
      </span>
      <input type="file" name="file" accept=".jsonl,.ndjson,.json,.csv,.tsv,.txt,.gz,.zst" />
    </label>
    <noscript>
      <p class="dim hint">
        Without scripts a file may have {LIMITS.form_bytes / 1024 / 1024} MiB; <code>assay submit</code> takes
        any size.
      </p>
    </noscript>
    <details open={Boolean(entered.lines)}>
      <summary>Or paste lines</summary>
      <textarea
        name="lines"
        dir="auto"
        aria-label="Lines"
        spellcheck={false}
        placeholder={'{"text": "first item"}\n{"text": "second item"}'}
      >
        {entered.lines ?? ''}
      </textarea>
      <label class="inline">
        They are
        <select name="format">
          <option value="jsonl">JSON lines</option>
          <option value="csv" selected={entered.format === 'csv'}>
            CSV
          </option>
        </select>
      </label>
    </details>
    <div id="preview" />
  </fieldset>
)

const MAPPING = [
  { name: 'item_id', label: 'Item id', none: 'given by Assay', hint: 'The field that holds your own id.' },
  {
    name: 'partition_key',
    label: 'Partition',
    none: 'none',
    hint: 'Fairness key, such as a tenant: items of each take turns.',
  },
  { name: 'input', label: 'Input', none: 'the whole row', hint: 'The one field the agent is to get.' },
] as const

const Mapping = ({ entered, guessed }: { entered: Entered; guessed: Guessed }) => (
  <fieldset class="across">
    {MAPPING.map(({ name, label, none, hint }) => (
      <Field label={label} hint={hint}>
        <input name={name} value={entered[name] ?? ''} placeholder={none} data-none={none} />
        {guessed.includes(name) && <span class="guessed hint">{GUESSED}</span>}
      </Field>
    ))}
    <noscript>
      <button name="guess" value="yes">
        Guess them from the first rows
      </button>
    </noscript>
  </fieldset>
)

const Bounds = ({ entered }: { entered: Entered }) => (
  <fieldset class="across">
    <Field label="Name" hint="For people.">
      <input name="name" value={entered.name ?? ''} maxlength={LIMITS.name_characters} />
    </Field>
    <Field label="Tags" hint="Words by which the run is found again, with commas between them.">
      <input name="tags" value={entered.tags ?? ''} />
    </Field>
    <Field
      label="Budget in dollars"
      hint={`Leave empty for no limit. ${AMOUNT_HINT} Pilot and rest share it.`}
    >
      <input name="budget_usd" inputmode="decimal" value={entered.budget_usd ?? ''} />
    </Field>
    <AllowUnpriced checked={entered.allow_unpriced === 'true'} />
    <Field label="Concurrency" hint="Items that may run together; empty is as the agent says.">
      <input name="concurrency" inputmode="numeric" value={entered.concurrency ?? ''} />
    </Field>
    <Field label="Callback address" hint="Gets a signed summary when the run ends.">
      <input name="callback_url" type="url" value={entered.callback_url ?? ''} placeholder="https://" />
    </Field>
  </fieldset>
)

/** Errors and upload progress; the script writes here too. */
export const Said = ({ wrong }: { wrong?: readonly string[] | undefined }) => (
  <>
    <div id="submit-wrong" role="alert" class={wrong && 'notice refused'}>
      {wrong && (
        <ul>
          {wrong.map(line => (
            <li>{line}</li>
          ))}
        </ul>
      )}
    </div>
    <div id="submit-progress" role="status" />
  </>
)
