/** All that is asked of nodemailer, in a file that is loaded on demand: most replicas never send mail. */
import { createTransport } from 'nodemailer'

/** What a connection to a mail server is asked for. */
export interface MailTransport {
  sendMail(mail: object): Promise<unknown>
  verify(): Promise<unknown>
  close(): void
}

export const mailTransport = (options: object): MailTransport => createTransport(options)
