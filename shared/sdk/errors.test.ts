import { describe, expect, it } from 'vitest'
import { messageOf } from './errors.ts'

describe('the message of an error', () => {
  it('includes its causes, which contain what a client leaves out', () => {
    const refused = new Error('egress denied: example.com:443 is not declared')
    const fetched = new TypeError('fetch failed', { cause: refused })
    expect(messageOf(new Error('Connection error.', { cause: fetched }))).toBe(
      'Connection error: fetch failed: egress denied: example.com:443 is not declared',
    )
  })

  it('repeats no cause that it already contains, and ends if causes form a circle', () => {
    const inner = new Error('no route')
    expect(messageOf(new Error('failed: no route', { cause: inner }))).toBe('failed: no route')
    const circle: Error = new Error('round')
    circle.cause = new Error('and round', { cause: circle })
    expect(messageOf(circle)).toBe('round: and round')
    expect(messageOf({ odd: true })).toBe('{"odd":true}')
  })
})
