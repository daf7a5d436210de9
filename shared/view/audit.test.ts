import { expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { ACTIONS, DID, sayDid } from './audit.ts'

it('every operation that is logged has a sentence, and no other has', () => {
  const logged = endpoints.filter(one => (one.method === 'get' ? one.logged : !one.unlogged))
  // Signing in and deleting an account are logged by their own verbs.
  const known = new Set(endpoints.map(one => one.operation_id))
  expect(logged.map(one => one.operation_id).filter(id => DID[id] === undefined)).toEqual([])
  expect(Object.keys(DID).filter(id => !known.has(id))).toEqual([])
})

it('a refused attempt says so', () => {
  expect([sayDid('createApiKey'), sayDid('createSession.refused')]).toEqual([
    'Made an API key',
    'Signed in: refused',
  ])
})

it('entries can be filtered by each action, refused ones too, and no two have the same words', () => {
  expect(ACTIONS['createSession.refused']).toBe('Signed in: refused')
  expect(ACTIONS['fireTrigger.refused']).toBe('Fired a trigger: refused')
  const words = Object.values(ACTIONS)
  expect(words.filter((one, at) => words.indexOf(one) !== at)).toEqual([])
})
