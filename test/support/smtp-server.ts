import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { issueForServer, testAuthority } from './control-plane/identities.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly isSecure: boolean
  /** Who logged in. */
  readonly user: string | undefined
  readonly raw: string
  header(name: string): string | undefined
}

export interface TestSmtpServer {
  readonly port: number
  readonly caPem: string
  /** Newest last. */
  readonly mails: readonly ReceivedMail[]
  /** Somebody connected. */
  readonly reached: Promise<unknown>
  /** Mails that fail with "try again" before the next is taken. */
  failNext: number
}

export interface SmtpServerOptions {
  /** Offers STARTTLS, and takes no login without it. Default true. */
  tls?: boolean
  /** Of the user `hub`, who must log in then. */
  password?: string
  /** Recipients that are refused for good. */
  refuse?: (address: string) => boolean
  /** Takes connections and says nothing. */
  silent?: boolean
}

/** A real SMTP server on loopback. */
export async function startSmtpServer(t: TestScope, options: SmtpServerOptions = {}): Promise<TestSmtpServer> {
  const { tls = true, password, refuse = () => false, silent = false } = options
  const authority = await testAuthority('test-smtp-ca')
  const { certPem, keyPem } = await issueForServer(authority, { ipAddresses: ['127.0.0.1'] })
  const mails: ReceivedMail[] = []
  const reached = Promise.withResolvers<unknown>()
  const self = { caPem: authority.certPem, mails, reached: reached.promise, failNext: 0, port: 0 }
  if (silent) {
    const server = createServer((socket) => {
      reached.resolve(undefined)
      socket.on('error', () => {})
      teardown(t, () => void socket.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    teardown(t, () => void server.close())
    return Object.assign(self, { port: (server.address() as AddressInfo).port })
  }
  const server = new SMTPServer({
    ...{ secure: false, cert: certPem, key: keyPem.reveal(), logger: false },
    disabledCommands: [...(tls ? [] : ['STARTTLS']), ...(password === undefined ? ['AUTH'] : [])],
    authOptional: password === undefined,
    onConnect(_, callback) {
      reached.resolve(undefined)
      callback()
    },
    onAuth({ username, password: shown }, _, callback) {
      // Some servers repeat what they were sent.
      if (shown !== password) callback(new Error(`no such login: ${username} ${shown}`))
      else callback(null, { user: username ?? '' })
    },
    onRcptTo({ address }, _, callback) {
      if (refuse(address)) callback(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
      else callback()
    },
    onData(stream, session, callback) {
      void Array.fromAsync<Buffer>(stream).then((chunks) => {
        if (self.failNext > 0) {
          self.failNext -= 1
          return callback(Object.assign(new Error('later'), { responseCode: 451 }))
        }
        const raw = Buffer.concat(chunks).toString()
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          isSecure: session.secure,
          user: typeof session.user === 'string' ? session.user : undefined,
          raw,
          header: (name) => new RegExp(`^${name}: (.*)$`, 'im').exec(raw)?.[1]?.trim(),
        })
        callback()
      })
    },
  })
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  teardown(t, () => new Promise<void>((resolve) => void server.close(() => resolve())))
  return Object.assign(self, { port: (listening.address() as AddressInfo).port })
}
