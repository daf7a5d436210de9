import { describe, expect, it } from 'vitest'
import { callBounds } from './call-bounds.ts'

const set = (of: 'project' | 'schedule', label: string, requests: string, host = 'a.test') => ({
  of,
  host,
  label,
  limits: { requests },
})

describe('the limits of calls that an agent is notified of', () => {
  it('are the lower of those for the host and for the credential', () => {
    const of = [
      set('project', '', '60/min'),
      set('project', 'KEY', '90/min'),
      set('project', 'OTHER', '30/min'),
    ]
    expect(callBounds(of, [])).toEqual([
      { host: 'a.test', label: '', requests: '60/min' },
      { host: 'a.test', label: 'KEY', requests: '60/min' },
      { host: 'a.test', label: 'OTHER', requests: '30/min' },
    ])
  })
  it('are above what the project set for the credential that a schedule at work names, and for no other', () => {
    expect(callBounds([set('project', '', '60/min'), set('schedule', 'KEY', '600/min')], [])).toEqual([
      { host: 'a.test', label: '', requests: '60/min' },
      { host: 'a.test', label: 'KEY', requests: '600/min' },
    ])
  })
  it('are lowered by the declaration, and never raised', () => {
    const of = [set('project', '', '60/min')]
    expect(callBounds(of, [{ host: 'a.test', requests: '30/min' }])).toEqual([
      { host: 'a.test', label: '', requests: '30/min' },
    ])
    expect(callBounds(of, [{ host: 'a.test', requests: '90/min' }])).toEqual([
      { host: 'a.test', label: '', requests: '60/min' },
    ])
  })
  it('leave out what limits no calls', () => {
    expect(callBounds([], [{ host: 'a.test', in_flight: 3 }])).toEqual([])
  })
  it('are those of each host', () => {
    expect(
      callBounds([set('project', '', '1/s', 'b.test')], [{ host: 'a.test', requests: '30/min' }]),
    ).toEqual([
      { host: 'b.test', label: '', requests: '1/s' },
      { host: 'a.test', label: '', requests: '30/min' },
    ])
  })
})
