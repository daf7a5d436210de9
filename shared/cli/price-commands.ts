// The commands about prices, budgets and models, as data.

import { LIMITS } from '../kernel/limits.ts'
import type { Command, Option } from './arguments.ts'
import { LIST_OPTIONS, projectOption as project } from './list-options.ts'

const periods: readonly Option[] = [
  {
    name: 'day',
    value: 'AMOUNT',
    kind: 'amount',
    none: true,
    about: 'money a day may spend, such as 5 dollars; none takes it away',
  },
  {
    name: 'month',
    value: 'AMOUNT',
    kind: 'amount',
    none: true,
    about: 'money a month may spend, such as 50 dollars; none takes it away',
  },
]

export const PRICE_COMMANDS: readonly Command[] = [
  {
    name: 'models',
    summary: 'Print what each model cost and how it answered, by agent.',
    options: [
      project,
      {
        name: 'days',
        value: 'N',
        kind: 'whole',
        least: 1,
        about: `calls of so many days in UTC, today included; ${LIMITS.model_usage_days.default} by default`,
      },
    ],
    run: async (...given) => (await import('./queue.ts')).models(...given),
  },
  {
    name: 'prices',
    summary: "List a project's own prices of models.",
    options: [project, ...LIST_OPTIONS],
    run: async (...given) => (await import('./prices.ts')).prices(...given),
  },
  {
    name: 'prices list',
    summary: 'The same.',
    options: [project, ...LIST_OPTIONS],
    run: async (...given) => (await import('./prices.ts')).prices(...given),
  },
  {
    name: 'prices set',
    args: ['MODEL'],
    summary: 'Set what a model costs, from a date on; what was recorded keeps its cost.',
    options: [
      { name: 'input', value: 'USD', about: 'dollars per million input tokens' },
      { name: 'output', value: 'USD', about: 'dollars per million output tokens' },
      { name: 'cached-input', value: 'USD', about: "for input read from the provider's cache" },
      {
        name: 'from',
        value: 'TIME',
        about: 'from when on, such as 2026-03-02 or 2026-03-02T09:30:00Z; now by default',
      },
      project,
    ],
    run: async (...given) => (await import('./prices.ts')).setPrice(...given),
  },
  {
    name: 'prices check',
    summary:
      'See which models of the last 30 days have no price, or an old one; exit code 10 where one has none.',
    options: [project],
    run: async (...given) => (await import('./price-check.ts')).checkPrices(...given),
  },
  {
    name: 'prices remove',
    args: ['MODEL'],
    summary: 'Remove the prices of a model, or one of them; no recorded cost changes.',
    options: [{ name: 'from', value: 'TIME', about: 'only the one from then on' }, project],
    run: async (...given) => (await import('./prices.ts')).removePrices(...given),
  },
  {
    name: 'projects budget',
    summary: 'Show or set the budgets of a project by day and month; setting takes assay login as an owner.',
    member: true,
    options: [
      project,
      ...periods,
      {
        name: 'credit',
        value: 'AMOUNT',
        kind: 'amount',
        none: true,
        about: 'money it may spend in all, such as 50 dollars; none takes it away',
      },
      { name: 'timezone', value: 'ZONE', about: 'whose days and months they follow; UTC unless set' },
    ],
    run: async (...given) => (await import('./budgets.ts')).projectBudget(...given),
  },
  {
    name: 'agents budget',
    args: ['AGENT'],
    summary: 'Show or set the budgets of an agent by day and month.',
    options: periods,
    run: async (...given) => (await import('./budgets.ts')).agentBudget(...given),
  },
]
