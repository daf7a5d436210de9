// What a revoked key or a removed member leaves is found by a table: a new operation decides on which side it stands.

import { expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { ACTORS, GRANTS, NO_GRANTS } from '../../shared/accounts/rules/grants.ts'

it('every operation that writes or reads a secret is listed as leaving something of its caller, or as leaving nothing (shared/accounts/rules/grants.ts)', () => {
  const decided = [...Object.keys(GRANTS), ...Object.keys(NO_GRANTS)]
  const operations = endpoints
    .filter(({ method, logged }) => method !== 'get' || logged)
    .map(({ operation_id }) => operation_id)
  expect(decided.sort()).toEqual(operations.sort())
})

it('whoever is made to act is listed as made', () => {
  expect(ACTORS.filter(action => !(action in GRANTS))).toEqual([])
})
