import { expect, it } from 'vitest'
import { misfitsOf } from './misfits.ts'

const refused = (message: string, code = 'invalid_request', hint?: string) => ({ code, message, hint })

it('fields named in an error are mapped to the names the form uses', () => {
  const message =
    'Field "cron": must be text. Field "source.url": must be an http or https URL. Field "budget_cents": is too large. And 2 more.'
  expect(misfitsOf(refused(message), { cron: '', source_url: 'x', budget_usd: '9' })).toEqual({
    cron: 'Must be text.',
    source_url: 'Must be an http or https URL.',
    budget_usd: 'Is too large.',
  })
})

it('an error whose code implies one field is shown at that field, with its hint', () => {
  expect(misfitsOf(refused('No cron.', 'invalid_cron', 'Five fields.'), { cron: '* *' })).toEqual({
    cron: 'No cron. Five fields.',
  })
  const failed = refused('The source answered 404.', 'source_failed')
  expect(misfitsOf(failed, { source_url: '', generator: 'tickets' })).toEqual({
    generator: 'The source answered 404.',
  })
})

it('fields that the form did not send get no message', () => {
  expect(misfitsOf(refused('Field "agent": must be text.'), { cron: 'x' })).toEqual({})
  expect(misfitsOf(refused('The project has been deleted.'), { cron: 'x' })).toEqual({})
})
