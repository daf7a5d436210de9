// Writes messages in the format of a channel. Guarantee: every body keeps within the limits that its receiver
// documents, so that a long name or message is cut and never refused, and no text of an agent is read as markup.

import { LIMITS } from '../../kernel/limits.ts'
import { shortened } from '../../kernel/text-head.ts'
import type { ChannelFormat } from '../vocabulary.ts'
import type { Message, Tone } from './message.ts'

const MAILTO = 'mailto:'
export const isMailUrl = (url: string) => url.startsWith(MAILTO)

const SLACK_HOSTS = /^hooks\.slack(-gov)?\.com$/
/** Incoming webhooks, and workflows of Power Automate that post into a chat or a channel. */
const TEAMS_HOSTS = /(^|\.)(webhook\.office\.com|logic\.azure\.com|api\.powerplatform\.com)$/

/** The format that the receiver at a URL reads, guessed from the URL; `json` if nothing else fits. */
export function guessFormat(url: string): ChannelFormat {
  if (isMailUrl(url)) return 'mail'
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  if (SLACK_HOSTS.test(host)) return 'slack'
  return TEAMS_HOSTS.test(host) ? 'teams' : 'json'
}

/** Whether the whole title fits in a heading with its icon; if not, it is repeated below. */
const headed = (title: string) => title.length <= LIMITS.slack_characters.header - 3

const ICONS: Readonly<Record<Tone, string>> = { good: '✅', warning: '⚠️', bad: '🔴' }

/** Slack reads only these three characters as the beginning of markup. */
const mrkdwn = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Blocks, with a text for notifications and for clients without blocks. */
export function slackOf({ tone, title, paragraphs, facts, command, links }: Message) {
  const limits = LIMITS.slack_characters
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })
  // Texts are cut before they are escaped, or half an entity would be shown. One character becomes five at most.
  const said = (text: string) => mrkdwn(shortened(text, Math.floor(limits.section / 5)))
  const blocks: object[] = [
    {
      type: 'header',
      text: { type: 'plain_text', text: shortened(`${ICONS[tone]} ${title}`, limits.header) },
    },
    ...(headed(title) ? [] : [section(said(title))]),
    ...paragraphs.map(text => section(said(text))),
  ]
  for (let i = 0; i < facts.length; i += LIMITS.slack_fields) {
    const fields = facts.slice(i, i + LIMITS.slack_fields).map(([label, value]) => ({
      type: 'mrkdwn',
      text: `*${mrkdwn(label)}*\n${mrkdwn(shortened(value, Math.floor(limits.field / 5) - label.length))}`,
    }))
    blocks.push({ type: 'section', fields })
  }
  if (command !== null) blocks.push(section(`\`\`\`${said(command)}\`\`\``))
  if (links.length > 0) {
    const elements = links.map(({ label, url }) => ({
      type: 'button',
      text: { type: 'plain_text', text: shortened(label, limits.button) },
      url,
    }))
    blocks.push({ type: 'actions', elements })
  }
  const text = [title, ...paragraphs, ...facts.map(([label, value]) => `${label}: ${value}`)].join('\n')
  return { text: mrkdwn(shortened(text, limits.text)), blocks: blocks.slice(0, LIMITS.slack_blocks) }
}

const COLOURS: Readonly<Record<Tone, string>> = { good: 'Good', warning: 'Warning', bad: 'Attention' }

/** Escapes what Markdown in a card would read as links, emphasis or lists. */
const unmarked = (text: string) => text.replaceAll(/[\\[\]*_`~#>]/g, '\\$&')

/** An Adaptive Card, as incoming webhooks and workflows of Teams take it. */
export function teamsOf({ tone, title, paragraphs, facts, command, links }: Message) {
  const block = (text: string, more: object = {}) => ({
    type: 'TextBlock',
    text: shortened(text, LIMITS.teams_text_characters),
    wrap: true,
    ...more,
  })
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      block(unmarked(shortened(title, LIMITS.slack_characters.header)), {
        size: 'Medium',
        weight: 'Bolder',
        color: COLOURS[tone],
      }),
      ...(headed(title) ? [] : [block(unmarked(title))]),
      ...paragraphs.map(text => block(unmarked(text))),
      ...(facts.length === 0
        ? []
        : [
            {
              type: 'FactSet',
              facts: facts.map(([label, value]) => ({
                title: label,
                value: shortened(unmarked(value), LIMITS.teams_text_characters),
              })),
            },
          ]),
      ...(command === null ? [] : [block(command, { fontType: 'Monospace' })]),
    ],
    actions: links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
  }
  return {
    type: 'message',
    summary: shortened(title, LIMITS.slack_characters.header),
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const HTML_COLOURS: Readonly<Record<Tone, string>> = { good: '#1a7f37', warning: '#9a6700', bad: '#cf222e' }

/** Subject, text and HTML; both say the same. */
export function mailOf({ tone, title, paragraphs, facts, command, links }: Message) {
  const lines = [
    ...paragraphs,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    command === null ? '' : `    ${command}`,
    links.map(({ label, url }) => `${label}: ${url}`).join('\n'),
  ]
  const cell = 'style="padding:2px 16px 2px 0;vertical-align:top"'
  const rows = facts.map(
    ([label, value]) => `<tr><td ${cell}>${html(label)}</td><td ${cell}>${html(value)}</td></tr>`,
  )
  const anchors = links.map(({ label, url }) => `<a href="${html(url)}">${html(label)}</a>`)
  const body = [
    `<h2 style="color:${HTML_COLOURS[tone]}">${html(title)}</h2>`,
    ...paragraphs.map(text => `<p>${html(text)}</p>`),
    rows.length > 0 ? `<table>${rows.join('')}</table>` : '',
    command === null ? '' : `<pre style="background:#f6f8fa;padding:8px">${html(command)}</pre>`,
    anchors.length > 0 ? `<p>${anchors.join(' · ')}</p>` : '',
  ]
  return {
    // A line break would end the header; names contain none, but texts of errors may.
    subject: shortened(`[Assay] ${title.replaceAll(/\s+/g, ' ')}`, LIMITS.mail_subject_characters),
    text: `${[title, ...lines.filter(text => text !== '')].join('\n\n')}\n`,
    html: `<html><body style="font-family:sans-serif">${body.filter(text => text !== '').join('\n')}</body></html>`,
  }
}
