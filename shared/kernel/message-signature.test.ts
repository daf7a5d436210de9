import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { secretText, signatureHeaders } from './message-signature.ts'

const secrets = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)]
const signed = { id: 'a-message', at_s: Math.floor(Date.now() / 1000), body: '{"n":1.50,"word":"é"}' }

it('a signed message verifies with the Standard Webhooks library, with either of two secrets', async () => {
  const headers = await signatureHeaders(secrets, signed)
  for (const secret of secrets) {
    expect(new Webhook(secretText(secret)).verify(signed.body, headers)).toEqual({ n: 1.5, word: 'é' })
  }
  expect(() => new Webhook(secretText(secrets[0]!)).verify(`${signed.body} `, headers)).toThrow()
})

it('X-Service-Signature has a hex HMAC-SHA256 of the time and the body for each secret', async () => {
  const { 'x-service-signature': header } = await signatureHeaders(secrets, signed)
  const macs = secrets.map(secret =>
    createHmac('sha256', secret).update(`${signed.at_s}.${signed.body}`).digest('hex'),
  )
  expect(header).toBe(`t=${signed.at_s},v1=${macs[0]},v1=${macs[1]}`)
})
