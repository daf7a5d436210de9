import type { LookupAddress } from 'node:dns'
import { expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { Pool } from '../../shared/kernel/pool.ts'
import { JudgedNames } from './judged-lookup.ts'
import { allowsOutside } from './networks.ts'

const PUBLIC: LookupAddress = { address: '93.184.216.34', family: 4 }
const PRIVATE: LookupAddress = { address: '10.0.0.1', family: 4 }

const look = (names: JudgedNames, account_id: string | null, host: string) =>
  new Promise((resolve, reject) =>
    names.lookupFor(account_id)(host, { all: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    ),
  )

/** A name server that does not answer for some names until `answer` is called. */
function silentAbout(isSilent: (host: string) => boolean) {
  const asked: string[] = []
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  const resolve = async (host: string) => {
    asked.push(host)
    if (isSilent(host)) await promise
    return [PUBLIC]
  }
  const turns = new Pool({ size: LIMITS.name_lookups, share: LIMITS.name_lookups_per_account })
  const names = new JudgedNames(allowsOutside([]), resolve, turns)
  return { names, asked, answer }
}

it('the addresses of a name are checked at every connection, and only the allowed ones are used', async () => {
  const answers = [[PUBLIC], [PRIVATE], [PRIVATE, PUBLIC]]
  const names = new JudgedNames(allowsOutside([]), async () => answers.shift()!)
  expect(await look(names, 'a', 'changes.example')).toEqual([PUBLIC])
  await expect(look(names, 'a', 'changes.example')).rejects.toThrow('changes.example is at 10.0.0.1')
  expect(await look(names, 'a', 'changes.example')).toEqual([PUBLIC])
})

it('lookups of one account that hang leave lookups for other accounts', async () => {
  const { names, asked, answer } = silentAbout(host => host.startsWith('silent'))
  const hanging = Array.from({ length: 100 }, (_, i) => look(names, 'attacker', `silent-${i}.example`))
  expect(await look(names, 'neighbour', 'quick.example')).toEqual([PUBLIC])
  expect(await look(names, null, 'quick.example')).toEqual([PUBLIC])
  // The attack had its effect: it uses all look-ups that one account may have.
  expect(asked.filter(host => host.startsWith('silent'))).toHaveLength(LIMITS.name_lookups_per_account)
  answer()
  expect(await Promise.all(hanging)).toHaveLength(100)
})

it('connections opened to one name at the same time share one lookup', async () => {
  const { names, asked, answer } = silentAbout(() => true)
  const opened = Array.from({ length: 64 }, () => look(names, 'a', 'one.example'))
  answer()
  await Promise.all(opened)
  expect(asked).toEqual(['one.example'])
})
