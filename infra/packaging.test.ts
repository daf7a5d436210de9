import { describe, expect, it } from 'vitest'
import { endpoints, platformFunctions } from '../functions/index.ts'
import { createRoutes } from '../shared/http/routes.ts'
import { PACKAGINGS, routesOf, unitsOf } from './packaging.ts'

describe.each(PACKAGINGS)('units by %s', packaging => {
  const units = unitsOf(packaging)
  const routes = routesOf(units)
  const routeOf = createRoutes(routes)
  const find = (method: string, path: string) => routeOf(method, path)?.unit

  it('contain every function exactly once', () => {
    const held = units.flatMap(unit => [...unit.endpoints, ...(unit.platform ? [unit.platform] : [])])
    expect(new Set(held)).toEqual(new Set([...endpoints, ...platformFunctions]))
    expect(held).toHaveLength(endpoints.length + platformFunctions.length)
  })

  it('have unique names that are DNS labels', () => {
    const names = units.map(unit => unit.name)
    expect(names.filter(name => !/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  it('are found by the path of each of their endpoints', () => {
    for (const unit of units) {
      for (const { method, path } of unit.endpoints) {
        expect(find(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x-1'))).toBe(unit.name)
      }
    }
    expect(find('GET', '/docs')).toBe(units.find(unit => unit.docs)!.name)
    expect(find('HEAD', '/health')).toBe(find('GET', '/health'))
    expect(find('GET', '/he%61lth')).toBe(find('GET', '/health'))
  })

  it('are not found for paths that no unit serves', () => {
    expect(find('GET', '/v1/nothing')).toBeUndefined()
    expect(find('DELETE', '/health')).toBeUndefined()
    expect(find('GET', '/health%2Fready')).toBeUndefined()
    expect(find('GET', '/v1/agents/a/b')).toBeUndefined()
    expect(find('POST', '/consume')).toBeUndefined()
  })
})

it('units by group, the router and the runtime are at most 14 functions, so that one of 15 is left for an agent', () => {
  expect(unitsOf('group').length + 2).toBeLessThanOrEqual(14)
})
