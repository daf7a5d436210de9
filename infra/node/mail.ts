// Sends mail by SMTP. Guarantee: a mail was taken by the server when the promise resolves; nobody waits past the
// signal, and a connection that says nothing is closed soon after. None stays open between mails.

import type { Transporter } from 'nodemailer'
import { LIMITS } from '../../shared/kernel/limits.ts'
import type { SendMail } from '../../shared/kernel/outside.ts'
import { invalid } from '../local/exit-error.ts'
import type { Settings } from './settings.ts'

export interface MailOptions {
  /** smtp://user:password@host:port, or smtps. */
  smtpUrl: string
  /** Who the mails are from. */
  from: string
}

/** How the settings say to send mail; undefined when they say nothing. @throws ExitError when half of them is missing */
export function mailFrom(settings: Settings): SendMail | undefined {
  const [smtpUrl, from] = [settings.get('ASSAY_SMTP_URL'), settings.get('ASSAY_MAIL_FROM')]
  if (smtpUrl && from) return createMail({ smtpUrl, from })
  if (smtpUrl || from)
    throw invalid('ASSAY_SMTP_URL and ASSAY_MAIL_FROM must be set together: set both, or neither.')
  return undefined
}

/** How this host sends mail. @throws ExitError when the URL is none of an SMTP server */
export function createMail({ smtpUrl, from }: MailOptions): SendMail {
  const url = URL.canParse(smtpUrl) ? new URL(smtpUrl) : undefined
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw invalid('ASSAY_SMTP_URL must look like smtp://user:password@host:587.')
  }
  const silence = LIMITS.mail_silence_ms
  // Loaded with the first mail: few processes send any.
  let transport: Promise<Transporter> | undefined
  const opened = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url: smtpUrl,
      connectionTimeout: silence,
      greetingTimeout: silence,
      socketTimeout: silence,
    })
  }
  return async ({ to, subject, text, html }, signal) => {
    signal.throwIfAborted()
    const late = Promise.withResolvers<never>()
    const giveUp = () => late.reject(new Error('the mail server did not answer in time'))
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      // The address as an object: nothing in it is read as a list of addresses.
      transport ??= opened()
      const sent = (await transport).sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        ...(html && { html }),
      })
      await Promise.race([sent, late.promise])
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }
}
