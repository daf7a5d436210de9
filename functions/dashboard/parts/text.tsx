// Small parts that every page shows the same way: numbers, money, times, statuses and verdicts. Guarantee: every colour
// also has a word.

import type { Child } from 'hono/jsx'
import { shortened } from '../../../shared/kernel/text-head.ts'
import { count, counted, money, percent, short } from '../../../shared/prices/rules/amounts.ts'
import { runStanding, type StandingRun } from '../../../shared/view/run.ts'
import { age, span } from '../../../shared/view/time.ts'

export { count, counted, money, percent, short, span }

export const cents = (value: number): string => money(value / 100)

/** A count that ends at `most`. */
export const many = (value: number, noun: string, most: number): string =>
  value >= most ? `${count(most)} or more ${noun}s` : counted(value, noun)

/**
 * The age of a time, with the time itself as title: in UTC, until the script shows the reader's zone and keeps
 * counting.
 */
export const When = ({ at, now }: { at: string | null; now: number }): Child => {
  if (at === null) return <span class="dim">never</span>
  return (
    <time datetime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`} data-age>
      {age(Date.parse(at), now)}
    </time>
  )
}

const BRIEF_CHARACTERS = 200

/** The beginning of an output, for lists. */
export const brief = (output: unknown): string => {
  const text = typeof output === 'string' ? output : output === null ? '' : JSON.stringify(output)
  return shortened(text, BRIEF_CHARACTERS)
}

const WORDS: Record<string, string> = {
  budget_exceeded: 'over budget',
  materializing: 'arriving',
}

/** The status in words. */
export const statusWord = (of: string): string => WORDS[of] ?? of.replaceAll('_', ' ')

/** Whether it ran. */
export const Status = ({ of }: { of: string }) => <span class={`status s-${of}`}>{statusWord(of)}</span>

/** The status of a run, or what it waits for. */
export const RunState = ({ of }: { of: StandingRun }) =>
  runStanding(of) === of.status ? (
    <Status of={of.status} />
  ) : (
    <span class="status s-held">{runStanding(of)}</span>
  )

/** Whether it worked; a dash before there is a verdict. */
export const Verdict = ({ of }: { of: string | null }) =>
  of === null ? <span class="dim">—</span> : <span class={`verdict v-${of}`}>{statusWord(of)}</span>

/** The link back to the page that this one is part of. */
export const Crumb = ({ href, children }: { href: string; children: Child }) => (
  <p class="crumbs">
    <a href={href}>{children}</a>
  </p>
)

interface CodeProps {
  children: Child
  /** Whether long lines are broken. */
  wrap?: true
  /** A secret or an address that opens something. */
  secret?: true
}

/** A command, or another text to copy. */
export const Code = ({ children, wrap, secret }: CodeProps) => (
  <pre class={wrap && 'wrap'}>
    <code class={secret && 'secret'}>{children}</code>
  </pre>
)

/** An id shortened for tables to its last 8 characters, which differ most. */
export const Id = ({ of }: { of: string }) => (
  <code class="id" title={of}>
    …{of.slice(-8)}
  </code>
)
