// Runs against a real SMTP server on loopback.

import { createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, expect, it } from 'vitest'
import { createMail } from './mail.ts'

const open: { close(done: () => void): void }[] = []
afterEach(() => Promise.all(open.splice(0).map(server => new Promise<void>(done => server.close(done)))))

const MAIL = { to: 'night@example.org', subject: 'it went wrong', text: 'at 2 o’clock\n' }
const soon = () => AbortSignal.timeout(10_000)

async function smtp(options: Partial<SMTPServerOptions> = {}) {
  const got: { from: string; to: string[]; data: string }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope
      const from = mailFrom === false ? '' : mailFrom.address
      text(stream).then(data => {
        got.push({ from, to: rcptTo.map(one => one.address), data })
        done()
      }, done)
    },
    ...options,
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  open.push(server)
  return { got, port: (server.server.address() as { port: number }).port }
}

it('a mail arrives with its subject and text', async () => {
  const { got, port } = await smtp()
  await createMail({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'assay@example.org' })(MAIL, soon())
  expect(got).toMatchObject([{ from: 'assay@example.org', to: ['night@example.org'] }])
  expect(got[0]!.data).toContain('Subject: it went wrong')
  expect(got[0]!.data).toContain('at 2 o=E2=80=99clock')
})

it('the client authenticates where the server requires it', async () => {
  const known: string[] = []
  const { port } = await smtp({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      known.push(`${auth.username} ${auth.password}`)
      done(null, { user: auth.username })
    },
  })
  const smtpUrl = `smtp://me:a%20word@127.0.0.1:${port}`
  await createMail({ smtpUrl, from: 'assay@example.org' })(MAIL, soon())
  expect(known).toEqual(['me a word'])
})

it('a mail that the server rejects fails with the server’s error message', async () => {
  const { port } = await smtp({
    onRcptTo: (_address, _session, done) => done(new Error('no such mailbox')),
  })
  const send = createMail({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'assay@example.org' })
  await expect(send(MAIL, soon())).rejects.toThrow('no such mailbox')
})

it('sending to a server that does not answer ends when the caller aborts', async () => {
  const connected = Promise.withResolvers<Socket>()
  const silent = createServer(connected.resolve)
  await new Promise<void>(listening => silent.listen(0, '127.0.0.1', listening))
  open.push(silent)
  const { port } = silent.address() as { port: number }
  const give = new AbortController()
  const send = createMail({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'assay@example.org' })
  const sent = send(MAIL, give.signal)
  const socket = await connected.promise
  give.abort()
  await expect(sent).rejects.toThrow('did not answer in time')
  socket.destroy()
})

it.each(['', 'mail.example.org', 'http://mail.example.org', 'smtp://'])('%j is no SMTP URL', smtpUrl => {
  expect(() => createMail({ smtpUrl, from: 'a@example.org' })).toThrow('must look like')
})
