import { Secret } from '../../core/secret.ts'
import { base64 } from './cluster.ts'
import { defined } from './defined.ts'
import type { KubeconfigExec } from './exec-config.ts'
import { execOnWire, readExec } from './exec-config.ts'
import type { Fields, Rest } from './fields.ts'
import { restOnWire } from './fields.ts'

/** The `user` of an entry in `users`. Paths are relative to the folder of the kubeconfig; data is PEM, not base64. */
export interface KubeconfigUser {
  clientCertificate?: string
  clientCertificateData?: string
  clientKey?: string
  clientKeyData?: Secret
  token?: Secret
  tokenFile?: string
  username?: string
  password?: Secret
  exec?: KubeconfigExec
  /** Who to act as. */
  as?: string
  asUid?: string
  asGroups?: readonly string[]
  asUserExtra?: Readonly<Record<string, readonly string[]>>
  /** Kept to be written back; no client uses it any more. */
  authProvider?: Rest
  rest?: Rest
}

export function readUser(fields: Fields): KubeconfigUser {
  const clientKey = fields.base64('client-key-data')
  const exec = fields.fields('exec')
  const extra = fields.fields('as-user-extra')
  return defined({
    clientCertificate: fields.text('client-certificate'),
    clientCertificateData: fields.base64('client-certificate-data'),
    clientKey: fields.text('client-key'),
    clientKeyData: clientKey === undefined ? undefined : Secret.of(clientKey),
    token: fields.secret('token'),
    tokenFile: fields.text('tokenFile'),
    username: fields.text('username'),
    password: fields.secret('password'),
    exec: exec && readExec(exec),
    as: fields.text('as'),
    asUid: fields.text('as-uid'),
    asGroups: fields.texts('as-groups'),
    asUserExtra: extra && Object.fromEntries(extra.names().map((name) => [name, extra.texts(name) ?? []])),
    authProvider: fields.fields('auth-provider')?.rest(),
    rest: fields.rest(),
  })
}

export const userOnWire = (user: KubeconfigUser): Record<string, unknown> =>
  defined({
    'client-certificate': user.clientCertificate,
    'client-certificate-data': base64(user.clientCertificateData),
    'client-key': user.clientKey,
    'client-key-data': base64(user.clientKeyData?.reveal()),
    token: user.token?.reveal(),
    tokenFile: user.tokenFile,
    username: user.username,
    password: user.password?.reveal(),
    exec: user.exec && execOnWire(user.exec),
    as: user.as,
    'as-uid': user.asUid,
    'as-groups': user.asGroups,
    'as-user-extra': user.asUserExtra,
    'auth-provider': user.authProvider && restOnWire(user.authProvider),
    ...restOnWire(user.rest),
  })
