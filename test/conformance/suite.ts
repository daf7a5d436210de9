// What every host must do in the same way. Each part is a file; each test makes the agents and runs it needs.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountPart } from './account.ts'
import { accountsPart } from './accounts.ts'
import { administrationPart } from './administration.ts'
import { agentsPart } from './agents.ts'
import { alertsPart } from './alerts.ts'
import { automationPart } from './automation.ts'
import { badInputPart } from './bad-input.ts'
import { causesPart } from './causes.ts'
import { compressionPart } from './compression.ts'
import { deliveriesPart } from './deliveries.ts'
import { edgePart } from './edge.ts'
import { eventsPart } from './events.ts'
import type { StartHost } from './hosts.ts'
import { limitsPart } from './limits.ts'
import { membersPart } from './members.ts'
import { outcomesPart } from './outcomes.ts'
import { pagesPart } from './pages.ts'
import { quotasPart } from './quotas.ts'
import { readinessPart } from './readiness.ts'
import { recoveryPart } from './recovery.ts'
import { resultsPart } from './results.ts'
import { runsPart } from './runs.ts'
import { schedulesPart } from './schedules.ts'
import { sourcesPart } from './sources.ts'
import { sweepPart } from './sweep.ts'
import { triggerItemsPart } from './trigger-items.ts'
import { triggersPart } from './triggers.ts'
import { earlyAnswerPart, uploadPart } from './upload.ts'
import { verdictsPart } from './verdicts.ts'
import { openWorld, type World } from './world.ts'

export type Given = () => World

export function conformance(name: string, startHost: StartHost, { sweeps = true } = {}): void {
  describe(`endpoints on ${name}`, () => {
    const given = openedWorld(startHost)

    edgePart(given)
    compressionPart(given)
    accountPart(given)
    membersPart(given)
    accountsPart(given)
    quotasPart(given)
    administrationPart(given)
    limitsPart(given)
    alertsPart(given)
    agentsPart(given)
    automationPart(given)
    runsPart(given)
    schedulesPart(given)
    sourcesPart(given)
    outcomesPart(given)
    eventsPart(given)
    recoveryPart(given)
    resultsPart(given)
    causesPart(given)
    verdictsPart(given)
    deliveriesPart(given)
    triggersPart(given)
    triggerItemsPart(given)
    if (sweeps) {
      badInputPart(given)
      sweepPart(given)
    }
    uploadPart(given)
    pagesPart(given)
    readinessPart(given, startHost)

    it('have answered with every success status that their operations document', () => {
      const { contract } = given()
      const missing: string[] = []
      for (const [path, operations] of Object.entries(contract.document.paths)) {
        for (const [method, { responses }] of Object.entries(operations)) {
          for (const status of Object.keys(responses).filter(status => status.startsWith('2'))) {
            const name = `${method.toUpperCase()} ${path} ${status}`
            if (!contract.seen.has(name)) missing.push(name)
          }
        }
      }
      expect(missing).toEqual([])
    })

    it('are each called by a test of their own', () => {
      const { contract } = given()
      const operations = Object.values(contract.document.paths).flatMap(path => Object.values(path))
      const left = operations.filter(({ operationId }) => !contract.calls.has(operationId))
      expect(left.map(({ operationId }) => operationId)).toEqual([])
    })
  })
}

/**
 * What can differ if a platform stands between the caller and the same code: status, headers and bodies in transit,
 * long uploads that are answered before they end, and streams.
 */
export function passageConformance(name: string, startHost: StartHost): void {
  describe(`requests that pass ${name}`, () => {
    const given = openedWorld(startHost)
    edgePart(given)
    eventsPart(given)
    earlyAnswerPart(given)
  })
}

function openedWorld(startHost: StartHost): Given {
  let world: World
  beforeAll(async () => {
    world = await openWorld(startHost)
  }, 120_000)
  afterAll(() => world?.end())
  return () => world
}
