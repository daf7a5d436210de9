// Forecasts what replaying a cohort does. Guarantee: pure, and added up item by item from the rule that the replay
// itself follows.

import type { EndedItem, Reuse, ReuseRule, StepHead } from './reuse.ts'

export interface CostedStep extends StepHead {
  name: string
  cost_micro: number
}

export interface RuleForecast {
  rule: ReuseRule
  /** Why the items did not work. */
  reason: string
  items: number
  asked_again: number
  reused: number
  /** Steps that are reused if they are called with the same input. */
  offered: number
}

export interface ToolForecast {
  name: string
  /** Calls that are made again. */
  again: number
  /** Calls that are made again if their input differs. */
  if_changed: number
}

export interface Forecast {
  /** Items whose steps were read. */
  items: number
  rules: RuleForecast[]
  tool_calls: ToolForecast[]
  /** What these items may cost at most, by their own calls and by those that others of their run made. */
  max_cost_micro: number
}

const costOf = (steps: readonly CostedStep[]) => steps.reduce((all, step) => all + step.cost_micro, 0)

/** Adds up the forecast, item by item. */
export class Forecaster {
  readonly #rules = new Map<string, RuleForecast>()
  readonly #tools = new Map<string, ToolForecast>()
  #items = 0
  #max = 0

  /** `whole_micro`: what an item of its run costs that makes all its calls, if it is known. */
  add(
    item: EndedItem,
    { rule, reused, offered, again }: Reuse<CostedStep>,
    whole_micro: number | null,
  ): void {
    this.#items++
    const reason = item.outcome_reason ?? item.error_code ?? item.status
    const key = `${rule} ${reason}`
    const sum = this.#rules.get(key) ?? { rule, reason, items: 0, asked_again: 0, reused: 0, offered: 0 }
    this.#rules.set(key, sum)
    sum.items++
    sum.asked_again += again.length
    sum.reused += reused.length
    sum.offered += offered.length
    for (const step of again) this.#tool(step, 'again')
    for (const step of offered) this.#tool(step, 'if_changed')
    // Calls that failed cost nothing, those after a fault never ran, and a refusal is shorter than an answer.
    const toCome = Math.max(0, (whole_micro ?? 0) - costOf(reused))
    this.#max += Math.max(costOf([...again, ...offered]), toCome)
  }

  forecast(): Forecast {
    const by = <Row>(of: Map<string, Row>, size: (row: Row) => number) =>
      [...of.values()].sort((a, b) => size(b) - size(a))
    return {
      items: this.#items,
      rules: by(this.#rules, row => row.items),
      tool_calls: by(this.#tools, row => row.again + row.if_changed),
      max_cost_micro: Math.ceil(this.#max),
    }
  }

  #tool({ kind, name }: CostedStep, how: 'again' | 'if_changed'): void {
    if (kind !== 'tool_call') return
    const sum = this.#tools.get(name) ?? { name, again: 0, if_changed: 0 }
    this.#tools.set(name, sum)
    sum[how]++
  }
}
