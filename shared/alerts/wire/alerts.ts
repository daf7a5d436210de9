// The shapes of alerts, their rules and their channels.

import { id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { isHttpUrl, isMailAddress, uuid } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { shownUrl } from '../../kernel/shown-url.ts'
import { isMailUrl } from '../../outbox/rules/formats.ts'
import { CHANNEL_FORMATS } from '../../outbox/vocabulary.ts'
import { RULES } from '../rules/alerts.ts'
import type { alertChannels, alertSettings, alerts } from '../tables/alerts.ts'
import { ALERT_RULES, type AlertRule, CHANNEL_DIGESTS } from '../vocabulary.ts'

export type AlertRow = typeof alerts.$inferSelect
export type AlertSettingRow = typeof alertSettings.$inferSelect
export type AlertChannelRow = typeof alertChannels.$inferSelect

export const alertRule = z.enum(ALERT_RULES)

export const Alert = z
  .object({
    id: id('The alert.'),
    project_id: id('The project it is about.'),
    rule: alertRule.describe('What found it.'),
    reason: z.string().describe('A fixed token; of a missed schedule, the reason of the occurrence.'),
    message: z.string().describe('What happened.'),
    advice: z.string().describe('What to do about it.'),
    command: z.string().describe('The command that does it.'),
    agent_id: id('The agent, where it is about one.').nullable(),
    schedule_id: id('The schedule, where it is about one.').nullable(),
    run_id: id('The run, where it is about one.').nullable(),
    since: timestamp.describe('Since when it is so.'),
    resolved_at: timestamp
      .nullable()
      .describe('When it was so no more, or a later alert took its place; null while it is open.'),
    created_at: timestamp,
  })
  .openapi('Alert', { description: 'Something that went wrong without anybody asking.' })

export const alertOf = ({ subject_id: _, ...row }: AlertRow): z.input<typeof Alert> => ({
  ...row,
  resolved_at: row.resolved_at?.toISOString() ?? null,
  since: row.since.toISOString(),
  created_at: row.created_at.toISOString(),
})

export const AlertRuleSetting = z
  .object({
    rule: alertRule,
    about: z.string().describe('What the rule watches.'),
    agent_id: id('The agent it is set for; null holds for every agent that has none of its own.').nullable(),
    enabled: z.boolean(),
    bounds: z.record(z.string(), z.number()).describe('What it compares with.'),
    is_default: z.boolean().describe('Nobody has set it.'),
  })
  .openapi('AlertRule', { description: 'Whether a rule alerts, and from which bounds on.' })

const defaultBounds = (rule: AlertRule) =>
  Object.fromEntries(Object.entries(RULES[rule].bounds).map(([name, bound]) => [name, bound.default]))

/** Every rule of a project, then what is set for single agents. */
export function alertRulesOf(rows: readonly AlertSettingRow[]): z.input<typeof AlertRuleSetting>[] {
  const set = rows.map(({ rule, agent_id, enabled, bounds }) => ({
    rule,
    about: RULES[rule].about,
    agent_id,
    enabled,
    bounds: { ...defaultBounds(rule), ...bounds },
    is_default: false,
  }))
  const general = ALERT_RULES.map(
    rule =>
      set.find(one => one.rule === rule && one.agent_id === null) ?? {
        rule,
        about: RULES[rule].about,
        agent_id: null,
        enabled: RULES[rule].enabled,
        bounds: defaultBounds(rule),
        is_default: true,
      },
  )
  return [...general, ...set.filter(one => one.agent_id !== null)]
}

const LARGEST_BOUND = Math.max(
  ...Object.values(RULES).flatMap(({ bounds }) => Object.values(bounds).map(({ max }) => max)),
)

export const AlertRuleChange = z
  .strictObject({
    rule: alertRule,
    agent_id: uuid('Only for this agent; without it, for every agent that has none of its own.').optional(),
    enabled: z.boolean().describe('False mutes the rule.'),
    bounds: z
      .record(z.string(), z.number().min(0).max(LARGEST_BOUND))
      .optional()
      .describe('What the rule compares with; without it, the default.'),
  })
  .superRefine(({ rule, bounds }, ctx) => {
    for (const [name, value] of Object.entries(bounds ?? {})) {
      const known = Object.hasOwn(RULES[rule].bounds, name) ? RULES[rule].bounds[name] : undefined
      const names = Object.keys(RULES[rule].bounds)
      const problem =
        known === undefined
          ? `is not a bound of ${rule}; ${names.length > 0 ? `it has ${names.join(', ')}` : 'it has none'}`
          : value < known.min || value > known.max
            ? `must be from ${known.min} to ${known.max}`
            : undefined
      if (problem !== undefined) ctx.addIssue({ code: 'custom', path: ['bounds', name], message: problem })
    }
  })
  .openapi({ example: { rule: 'budget_near', enabled: true, bounds: { share: 0.8 } } })

const MAILTO = 'mailto:'

/** The address that mail is sent to: an escaped line break or comma would add further headers or addresses. */
function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return ''
  }
}

const channelUrl = z
  .string()
  .max(LIMITS.callback_url_characters)
  .refine(
    text => (text.startsWith(MAILTO) ? isMailAddress(decoded(text.slice(MAILTO.length))) : isHttpUrl(text)),
    'must be an http or https URL without credentials, or mailto: with one address',
  )
  .describe('An http or https URL, or mailto: with one address.')

const format = z
  .enum(CHANNEL_FORMATS)
  .describe("How it is written to: Assay's JSON, Slack's blocks, a card of Teams, or a mail.")
const digest = z
  .enum(CHANNEL_DIGESTS)
  .describe('Which runs it gets a digest of when they end: none, those of schedules, or all but replays.')

export const NewAlertChannel = z.strictObject({
  url: channelUrl,
  format: format.optional().describe('How it is written to; by default guessed from the URL.'),
  digest: digest.optional(),
})

export const AlertChannel = z
  .object({
    id: id('The id to test and to delete it by.'),
    url: z.string().describe('What may be a secret in it is masked.'),
    format,
    digest,
    created_at: timestamp,
  })
  .openapi('AlertChannel', {
    description: 'Where alerts of a project go: a webhook, signed like a callback, or an e-mail address.',
  })

export const alertChannelOf = (row: AlertChannelRow): z.input<typeof AlertChannel> => ({
  id: row.id,
  url: shownUrl(row.url),
  format: isMailUrl(row.url) ? 'mail' : row.format,
  digest: row.digest,
  created_at: row.created_at.toISOString(),
})
