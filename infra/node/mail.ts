// Sends mail by SMTP. Guarantee: when the promise resolves, the server has accepted the mail; nobody waits past the
// signal, and a silent connection is closed soon after. No connection stays open between mails.

import type { Transporter } from 'nodemailer'
import { LIMITS } from '../../shared/kernel/limits.ts'
import type { SendMail } from '../../shared/kernel/outside.ts'
import { invalid } from '../local/exit-error.ts'
import type { Settings } from './settings.ts'

export interface MailOptions {
  /** smtp://user:password@host:port, or smtps://. */
  smtpUrl: string
  /** The sender of the mails. */
  from: string
}

/**
 * Returns how to send mail by the settings; undefined without any.
 * @throws ExitError when only one of the two is set
 */
export function mailFrom(settings: Settings): SendMail | undefined {
  const [smtpUrl, from] = [settings.get('ASSAY_SMTP_URL'), settings.get('ASSAY_MAIL_FROM')]
  if (smtpUrl && from) return createMail({ smtpUrl, from })
  if (smtpUrl || from)
    throw invalid('ASSAY_SMTP_URL and ASSAY_MAIL_FROM must be set together: set both, or neither.')
  return undefined
}

/** Returns a function that sends mail. @throws ExitError when the URL is not an SMTP server's */
export function createMail({ smtpUrl, from }: MailOptions): SendMail {
  const url = URL.canParse(smtpUrl) ? new URL(smtpUrl) : undefined
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw invalid('ASSAY_SMTP_URL must look like smtp://user:password@host:587.')
  }
  const silence = LIMITS.mail_silence_ms
  // The library is loaded with the first mail, since few processes send any.
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
      // The address is an object, so that it is never parsed as a list of addresses.
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
