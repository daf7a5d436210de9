import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { chooseProcess } from './process-choice.ts'

const BOUND = 100
const having = (...items: number[]) => items.map(items => ({ items }))
const choose = (processes: { items: number }[], items: number, canStart = true) =>
  chooseProcess(processes, items, BOUND, canStart)?.items

describe('a request', () => {
  it('goes to the fullest process that has room for all its items, so that others become idle', () => {
    expect(choose(having(10, 60, 95), 40)).toBe(60)
    expect(choose(having(0, 60), 40)).toBe(60)
  })

  it('finds no process if all are full and another can be started', () => {
    expect(choose([], 1)).toBeUndefined()
    expect(choose(having(100, 61), 40)).toBeUndefined()
  })

  it('of more items than the bound has a process to itself', () => {
    expect(choose(having(1), BOUND + 1)).toBeUndefined()
    expect(choose(having(1, 0), BOUND + 1)).toBe(0)
  })

  it('goes to the emptiest process, up to a bound, if none has room and no other can be started', () => {
    expect(choose(having(100, 61), 40, false)).toBe(61)
    const most = LIMITS.agent_process_crowded * BOUND
    expect(choose(having(most, most - 40), 40, false)).toBe(most - 40)
    expect(choose(having(most, most - 39), 40, false)).toBeUndefined()
  })
})
