import { describe, expect, it } from 'vitest'
import { sampleItem, sampleRun } from '../../test/support/cli-samples.ts'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import { findItem } from './find-item.ts'

const RUN = '01a1fab9-81a7-7eca-a25c-32a500000000'
const REPLAY = '01a1fac0-81a7-7eca-a25c-32a500000000'
const RECORD = '01a1fab9-81a7-7eca-a25c-32a500000002'
const AGAIN = '01a1fac0-81a7-7eca-a25c-32a500000001'

const inRun = (run: string, item: string, found: string[]) => ({
  [`GET /v2/runs/${run}/items?item_id=${encodeURIComponent(item)}&payloads=none&limit=5`]: found.map(id =>
    sampleItem({ id, item_id: item }),
  ),
})
const runsWith = (item: string, ids: string[]) => ({
  [`GET /v2/runs?item_id=${encodeURIComponent(item)}&limit=6`]: ids.map(id => sampleRun({ id })),
})
const find = (answers: Record<string, unknown>, command: string, ...args: string[]) =>
  findItem(answering(answers)(100), given({}, args), command)

describe('an item', () => {
  it('goes by the id in lists, without a question to the server', async () => {
    expect(await find({}, 'dismiss', RECORD)).toBe(RECORD)
  })

  it('goes by your own id in its run, or by the id in lists', async () => {
    const answers = { ...inRun(RUN, 'T-1003', [RECORD]), ...inRun(RUN, RECORD, []) }
    expect(await find(answers, 'dismiss', RUN, 'T-1003')).toBe(RECORD)
    expect(await find(answers, 'dismiss', RUN, RECORD)).toBe(RECORD)
  })

  it('goes by your own id alone while one run has it', async () => {
    const answers = { ...runsWith('T-1003', [RUN]), ...inRun(RUN, 'T-1003', [RECORD]) }
    expect(await find(answers, 'dismiss', 'T-1003')).toBe(RECORD)
  })

  it('is read in the newest of several runs, and the command for another is printed', async () => {
    const answers = { ...runsWith('T 1003', [REPLAY, RUN]), ...inRun(REPLAY, 'T 1003', [AGAIN]) }
    expect(await find(answers, 'item', 'T 1003')).toBe(AGAIN)
    expect(printed('notes')).toBe(
      `"T 1003" is in 2 runs; this is the newest. For another: assay item ${RUN} 'T 1003'\n`,
    )
  })

  it('is not acted on if several runs have it: they are named', async () => {
    await expect(find(runsWith('T-1003', [REPLAY, RUN]), 'dismiss', 'T-1003')).rejects.toMatchObject({
      code: 'ambiguous_item',
      exit: 2,
      message: expect.stringMatching(new RegExp(`^"T-1003" is in 2 runs.*\\n  ${REPLAY} .*\\n  ${RUN} `)),
      next: `assay dismiss ${REPLAY} T-1003`,
    })
  })

  it('is not acted on if its run has the own id twice: the ids are named', async () => {
    await expect(find(inRun(RUN, 'T-1', [RECORD, AGAIN]), 'replay', RUN, 'T-1')).rejects.toMatchObject({
      code: 'ambiguous_item',
      message: `run ${RUN} has "T-1" more than once:\n  ${RECORD}  completed\n  ${AGAIN}  completed`,
      next: `assay replay ${RECORD}`,
    })
  })

  it('that is nowhere, or not in this run, leads to the list', async () => {
    await expect(find(runsWith('T-9', []), 'item', 'T-9')).rejects.toMatchObject({
      code: 'not_found',
      next: 'assay runs',
    })
    await expect(find(inRun(RUN, 'T-9', []), 'item', RUN, 'T-9')).rejects.toMatchObject({
      code: 'not_found',
      next: `assay items ${RUN}`,
    })
  })
})
