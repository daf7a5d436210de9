import { describe, expect, it } from 'vitest'
import { sampleSchedule, screen } from '../../test/support/cli-samples.ts'
import { answering } from '../../test/support/cli-session.ts'
import { findSchedule } from './find-schedule.ts'
import { schedulesTable } from './schedule-view.ts'

const [FIRST, SECOND] = ['01a1fab9-81a7-7eca-a25c-000000000001', '01a1fab9-81a7-7eca-a25c-000000000002']
const find = (named: [id: string, name: string | null][], given: string) =>
  findSchedule(
    answering({ 'GET /v1/schedules': named.map(([id, name]) => sampleSchedule({ id, name })) })(100).api,
    given,
  )

describe('a schedule', () => {
  it('goes by its id, and by its name', async () => {
    expect(await find([], FIRST)).toBe(FIRST)
    expect(
      await find(
        [
          [FIRST, 'nightly'],
          [SECOND, null],
        ],
        'nightly',
      ),
    ).toBe(FIRST)
  })

  it('that does not exist is reported with the names that do', async () => {
    await expect(
      find(
        [
          [FIRST, 'nightly'],
          [SECOND, null],
        ],
        'nigthly',
      ),
    ).rejects.toMatchObject({
      code: 'not_found',
      message: 'there is no schedule "nigthly"',
      hint: 'there are: nightly',
      next: 'assay schedules',
    })
  })

  it('whose name others have too is not chosen: their ids are named', async () => {
    await expect(
      find(
        [
          [FIRST, 'nightly'],
          [SECOND, 'nightly'],
        ],
        'nightly',
      ),
    ).rejects.toMatchObject({
      code: 'ambiguous_schedule',
      exit: 2,
      message: expect.stringMatching(
        new RegExp(`^2 schedules are called "nightly":\\n  ${FIRST} .*\\n  ${SECOND} `),
      ),
      next: `assay schedules show ${FIRST}`,
    })
  })

  it.each([80, 100, 160])('is listed with its name and its next moment at %i columns', columns => {
    const text = schedulesTable(
      [sampleSchedule({ name: 'nightly' })],
      Date.parse('2026-01-01T00:00:00Z'),
      screen(columns),
    )
    expect(text).toMatch(/^SCHEDULE +NAME .*\n01a1fab9-\S{27} +nightly .* Thu 02:00, in 2h/)
  })
})
