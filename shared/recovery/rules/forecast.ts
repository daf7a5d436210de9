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
  /** What these items may cost at most, estimated from their own costs and those of items that worked. */
  max_cost_micro: number
}

/** Adds up the forecast, item by item. */
export class Forecaster {
  readonly #rules = new Map<string, RuleForecast>()
  readonly #tools = new Map<string, ToolForecast>()
  #items = 0
  #max = 0

  /** `typical_micro`: the cost of an item that works, if it is known. */
  add(
    item: EndedItem,
    { rule, reused, offered, again }: Reuse<CostedStep>,
    typical_micro: number | null,
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
    const own = [...again, ...offered].reduce((all, step) => all + step.cost_micro, 0)
    // An item that did not complete never reached its later steps, and failed steps cost nothing: use the typical cost.
    const whole = item.status === 'completed' ? own : Math.max(own, typical_micro ?? 0)
    this.#max += whole
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
