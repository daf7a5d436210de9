// The shapes and limits of what channels get, as the receivers' references state them.

import { expect, it } from 'vitest'
import { guessFormat, mailOf, slackOf, teamsOf } from './formats.ts'
import type { Message } from './message.ts'

const message: Message = {
  tone: 'bad',
  title: 'nightly 0 2 * * *: 143 of 5,000 items did not work',
  paragraphs: ['Look at <them> & decide.'],
  facts: [
    ['Ran', 'all 5,000'],
    ['Worked', '4,857 ok'],
  ],
  command: 'assay triage --run r',
  links: [{ label: 'Open the run', url: 'https://assay.example.com/dashboard/runs/r' }],
}
/** The worst texts that an agent may send. */
const hostile: Message = {
  ...message,
  title: `${'<&>*_`[x](y)😀'.repeat(500)}\r\nBcc: all@example.org`,
  paragraphs: Array.from({ length: 80 }, () => '&'.repeat(10_000)),
  facts: Array.from({ length: 25 }, (_, n) => [`fact ${n}`, '<'.repeat(10_000)]),
  command: '>'.repeat(10_000),
}

it.each([
  ['mailto:night@example.org', 'mail'],
  ['https://hooks.slack.com/services/T0/B0/x', 'slack'],
  ['https://hooks.slack-gov.com/services/T0/B0/x', 'slack'],
  ['https://contoso.webhook.office.com/webhookb2/x', 'teams'],
  ['https://prod-01.westeurope.logic.azure.com:443/workflows/x', 'teams'],
  ['https://default1.2.environment.api.powerplatform.com/powerautomate/x', 'teams'],
  ['https://example.org/hooks.slack.com', 'json'],
  ['https://nothooks.slack.com.example.org/', 'json'],
  ['https://evilwebhook.office.com/x', 'json'],
] as const)('a message to %s has the format %s', (url, format) => expect(guessFormat(url)).toBe(format))

it('Slack gets blocks, and a plain text for notifications', () => {
  const { text, blocks } = slackOf(message)
  expect(text.split('\n')).toEqual([
    'nightly 0 2 * * *: 143 of 5,000 items did not work',
    'Look at &lt;them&gt; &amp; decide.',
    'Ran: all 5,000',
    'Worked: 4,857 ok',
  ])
  expect(blocks.map(block => (block as { type: string }).type)).toEqual([
    'header',
    'section',
    'section',
    'section',
    'actions',
  ])
  expect(JSON.stringify(blocks)).toContain('```assay triage --run r```')
})

it('Slack never gets more than its limits, whatever a text contains', () => {
  const { text, blocks } = slackOf(hostile)
  expect(blocks.length).toBeLessThanOrEqual(50)
  for (const block of blocks as { type: string; text?: { text: string }; fields?: { text: string }[] }[]) {
    if (block.type === 'header') expect(block.text!.text.length).toBeLessThanOrEqual(150)
    if (block.type === 'section' && block.text) expect(block.text.text.length).toBeLessThanOrEqual(3000)
    expect(block.fields?.length ?? 0).toBeLessThanOrEqual(10)
    for (const field of block.fields ?? []) expect(field.text.length).toBeLessThanOrEqual(2000)
  }
  expect(text.length).toBeLessThanOrEqual(40_000)
  expect(JSON.stringify(blocks).isWellFormed()).toBe(true)
})

it('a title too long for a heading is repeated in full below it', () => {
  const long = { ...message, title: 'x'.repeat(400) }
  expect(JSON.stringify(slackOf(long).blocks)).toContain('x'.repeat(400))
  expect(JSON.stringify(teamsOf(long))).toContain('x'.repeat(400))
})

it('Teams gets an Adaptive Card with the facts, the command and the links', () => {
  const { type, attachments } = teamsOf(message)
  expect([type, attachments.length]).toEqual(['message', 1])
  const { contentType, content } = attachments[0]!
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive')
  expect(content).toMatchObject({ type: 'AdaptiveCard', version: '1.4' })
  expect(content.actions).toEqual([
    { type: 'Action.OpenUrl', title: 'Open the run', url: 'https://assay.example.com/dashboard/runs/r' },
  ])
  expect(JSON.stringify(content.body)).toContain('0 2 \\\\* \\\\* \\\\*')
})

it('Teams never gets more than a webhook takes, counted as two bytes per character', () => {
  const worst = { ...hostile, paragraphs: hostile.paragraphs.slice(0, 2), facts: hostile.facts.slice(0, 4) }
  expect(JSON.stringify(teamsOf(worst)).length).toBeLessThan(14_000)
})

it('a mail has the same content as text and HTML, and no text of an agent becomes markup or a header', () => {
  const { subject, text, html } = mailOf(message)
  expect(subject).toBe('[Assay] nightly 0 2 * * *: 143 of 5,000 items did not work')
  expect(text).toContain('\n    assay triage --run r\n')
  expect(html).toContain('Look at &lt;them&gt; &amp; decide.')
  expect(html).toContain('<a href="https://assay.example.com/dashboard/runs/r">Open the run</a>')
  const bad = mailOf(hostile)
  expect(bad.subject.length).toBeLessThanOrEqual(150)
  expect(bad.subject).not.toMatch(/[\r\n]/)
  expect(bad.html).not.toContain('<&>')
})
