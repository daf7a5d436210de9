// A host with its stores and a browser, for the tests of one file. Guarantee: what a test opened is closed after it, and all else
// after the last one.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { closeBrowser, signIn, type Visitor, visitor } from './browser.ts'

type Options = Parameters<typeof visitor>[1]

export interface BrowserWorld {
  readonly world: World
  /** What the page of the current test complained about. */
  readonly complaints: Visitor['complaints']
  /** A page of a member who is signed in; what the pages before it complained about is left to other tests. */
  open(path: string, options?: Options, account?: { email: string; password: string }): Promise<Page>
}

/** Called once in a `describe`, before hooks that use it. */
export function browserWorld(): BrowserWorld {
  let world: World
  let visit: Visitor | undefined
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
  })
  afterEach(async () => {
    await visit?.[Symbol.asyncDispose]()
    visit = undefined
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })
  return {
    get world() {
      return world
    },
    get complaints() {
      return visit!.complaints
    },
    async open(path, options, account = world.first.account) {
      visit = await visitor(world.url, options)
      await signIn(visit.page, account)
      visit.complaints.length = 0
      await visit.page.goto(path)
      return visit.page
    },
  }
}
