import { afterEach, expect, it } from 'vitest'
import { ProcessRoom } from './process-room.ts'

let room: ProcessRoom
afterEach(() => room.close())

it('an account at its share has only its own idle process stopped, and an account below it any idle process', async () => {
  room = new ProcessRoom(() => {}, { size: 3, share: 2 })
  for (const account of ['one', 'one', 'two']) await room.take(account)
  const third = room.take('one').catch(error => error)
  expect(['one', 'two'].map(account => room.isWanted(account))).toEqual([true, false])
  const other = room.take('three').catch(error => error)
  expect(['one', 'two'].map(account => room.isWanted(account))).toEqual([true, true])
  room.close()
  await Promise.all([third, other])
})
