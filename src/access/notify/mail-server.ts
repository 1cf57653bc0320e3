import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import type { MailProvider, MailProviderSpec } from '../../apis/breakglass/mail-provider.ts'
import type { EgressRules } from '../../core/egress.ts'
import { checkedLookup, egressDenied } from '../../core/egress.ts'
import { isFailure } from '../../core/failure.ts'
import type { Secret } from '../../core/secret.ts'
import { readSecretValue } from '../../fleet/spoke/secret-value.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { failures } from './failures.ts'
import type { MailTransport } from './mail-library.ts'
import type { Letter } from './texts.ts'

export interface Mail extends Letter {
  readonly to: string
  /** The same for the same mail: whoever gets it twice can see that. */
  readonly id: string
}

/** A mail server, as a MailProvider names it. Both throw EGRESS_DENIED, NOTICE_MAIL_FAILED, NOTICE_MAIL_REFUSED or what a Secret lacks. */
export interface MailServer {
  send(provider: Stored<MailProvider>, mail: Mail, signal: AbortSignal): Promise<void>
  /** Whether it answers and takes the credentials. */
  check(provider: Stored<MailProvider>, signal: AbortSignal): Promise<void>
}

/** Of the connection. How long all of it may take is for the signal to say. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
const implicitTlsPort = 465

/** A connection for each mail: they are few, and one that hangs holds up no other. */
export function mailServer({ kube, egress }: { kube: Kube; egress(): EgressRules }): MailServer {
  async function withTransport<R>(
    provider: Stored<MailProvider>,
    signal: AbortSignal,
    use: (transport: MailTransport) => Promise<R>,
  ): Promise<R> {
    signal.throwIfAborted()
    const spec = provider.spec
    const host = spec?.smtp.host ?? ''
    if (!spec) throw failures.NOTICE_MAIL_FAILED({ host, detail: 'it has no spec' })
    const password = await passwordOf(kube, spec, signal)
    const { mailTransport } = await import('./mail-library.ts')
    const sockets = new Set<Socket>()
    const getSocket = socketsTo(spec.smtp, egress(), sockets)
    const transport = mailTransport({ ...optionsOf(spec, password), getSocket })
    const over = Promise.withResolvers<never>()
    const onAbort = () => {
      transport.close()
      for (const socket of sockets) socket.destroy()
      over.reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    over.promise.catch(() => {})
    try {
      return await Promise.race([use(transport), over.promise])
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw egressDenied(error) ?? (isFailure(error) ? error : failureOf(error, host))
    } finally {
      signal.removeEventListener('abort', onAbort)
      transport.close()
      for (const socket of sockets) socket.destroy()
    }
  }

  return {
    async send(provider, { to, subject, text, html, id }, signal) {
      const { address = '', name = '' } = provider.spec?.sender ?? {}
      const messageId = `<${createHash('sha256').update(`${id}\n${to}`).digest('hex').slice(0, 32)}@lanyard>`
      await withTransport(provider, signal, (transport) =>
        transport.sendMail({
          ...{ from: { address, name }, to: { address: to, name: '' }, subject, text, html, messageId },
          ...{ disableFileAccess: true, disableUrlAccess: true },
          headers: { 'auto-submitted': 'auto-generated' },
        }),
      )
    },
    async check(provider, signal) {
      await withTransport(provider, signal, (transport) => transport.verify())
    },
  }
}

export const passwordOf = async (
  kube: Kube,
  { smtp: { passwordRef } }: MailProviderSpec,
  signal: AbortSignal,
): Promise<Secret | undefined> => {
  if (!passwordRef) return undefined
  const { namespace, name, key = 'password' } = passwordRef
  const wanted = { namespace, name, keys: [key], field: 'spec.smtp.passwordRef' }
  return (await readSecretValue(kube, wanted, signal)).text
}

function optionsOf({ smtp }: MailProviderSpec, password: Secret | undefined) {
  const { host, port, username, certificateAuthority, insecureSkipVerify, disableTLS } = smtp
  const isImplicit = port === implicitTlsPort && !disableTLS
  return {
    ...{ host, port, secure: isImplicit, ...timeouts },
    // A server that offers no TLS gets nothing, unless that is wanted.
    ...(disableTLS ? { ignoreTLS: true } : { requireTLS: !isImplicit }),
    ...(username !== undefined && password && { auth: { user: username, pass: password.reveal().trim() } }),
    tls: {
      minVersion: 'TLSv1.2' as const,
      ...(certificateAuthority && { ca: certificateAuthority }),
      ...(insecureSkipVerify && { rejectUnauthorized: false }),
    },
  }
}

type GotSocket = (error: Error | null, options?: { connection: Socket }) => void

/** The library resolves names itself, so it is handed sockets that are connected. It closes those that it has taken. */
const socketsTo =
  ({ host, port }: MailProviderSpec['smtp'], egress: EgressRules, sockets: Set<Socket>) =>
  (_options: unknown, got: GotSocket) => {
    try {
      const socket = connect({ host, port, lookup: checkedLookup(host, egress) })
      sockets.add(socket)
      const failed = (error: Error) => {
        socket.destroy()
        got(error)
      }
      socket.setTimeout(timeouts.connectionTimeout, () => failed(lateConnection()))
      socket.once('error', failed)
      socket.once('connect', () => {
        socket.setTimeout(0)
        socket.removeListener('error', failed)
        got(null, { connection: socket })
      })
    } catch (error) {
      got(error as Error)
    }
  }

/** As the library says it of its own connections. */
const lateConnection = () => Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })

/** By code and number alone: the words of a server may repeat what it was sent. */
function failureOf(error: unknown, host: string) {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  const words = [code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number')
  const detail = words.length > 0 ? words.join(' ') : 'it failed unexpectedly'
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  const isRefusal = isAboutMail && typeof responseCode === 'number' && responseCode >= 500
  return isRefusal ? failures.NOTICE_MAIL_REFUSED({ host, detail }) : failures.NOTICE_MAIL_FAILED({ host, detail })
}
