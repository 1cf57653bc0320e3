import type { Connection, Credentials } from '../connection.ts'
import type { Authorization } from './authorization.ts'
import { basic, bearer } from './authorization.ts'
import { at } from './checks.ts'
import type { Content, FileDeps, KeyPair } from './credential-files.ts'
import { keyPair, tokenFile } from './credential-files.ts'
import type { ExecDeps } from './exec-plugin.ts'
import { ExecPlugin } from './exec-plugin.ts'
import type { Named } from './kubeconfig.ts'
import { absoluteUser } from './merge.ts'
import type { KubeconfigUser } from './user.ts'
import { hasCertificate, hasPassword, hasToken } from './user-checks.ts'

export type CredentialSource = NonNullable<Connection['credentials']>

type Refreshable<T> = { current(options: { refresh?: boolean | undefined }): Promise<T> }

/**
 * Where a user's credentials come from; undefined for an anonymous one. A plugin runs only for a user who has nothing
 * else, as in client-go.
 */
export function credentialSource(
  entry: Named<KubeconfigUser>,
  clusterInfo: () => Promise<unknown>,
  deps: FileDeps & ExecDeps,
): CredentialSource | undefined {
  const user = absoluteUser(entry)
  const certificate = certificateOf(entry, user, deps)
  const authorization = authorizationOf(user, deps)
  if (certificate || authorization) {
    return async (options = {}) => {
      const [pair, header] = await Promise.all([certificate?.current(options), authorization?.current(options)])
      return credentials(pair, header)
    }
  }
  if (!user.exec || !usesPlugin(user)) return undefined
  const plugin = new ExecPlugin({ plugin: user.exec, at: at(entry, 'exec'), clusterInfo }, deps)
  return async ({ refresh, signal } = {}) => {
    const issued = await plugin.credential({ refresh, signal })
    return credentials(issued.certificate, issued.token && bearer(issued.token))
  }
}

export const usesPlugin = (user: KubeconfigUser): boolean =>
  user.exec !== undefined && !hasCertificate(user) && !hasToken(user) && !hasPassword(user)

const credentials = (certificate: KeyPair | undefined, authorization: Authorization | undefined): Credentials => ({
  ...(certificate && { certificate }),
  ...authorization,
})

function certificateOf(
  entry: Named<KubeconfigUser>,
  user: KubeconfigUser,
  deps: FileDeps,
): Refreshable<KeyPair> | undefined {
  if (!hasCertificate(user)) return undefined
  const content = <T>(data: T | undefined, field: string, file: string | undefined): Content<T> => {
    const { source, field: path } = at(entry, field)
    return data === undefined ? { file: file ?? '' } : { data, label: `${source}: ${path}` }
  }
  const { clientCertificateData, clientCertificate, clientKeyData, clientKey } = user
  return keyPair(
    {
      certificate: content(clientCertificateData, 'client-certificate-data', clientCertificate),
      key: content(clientKeyData, 'client-key-data', clientKey),
    },
    deps,
  )
}

/** A token file wins over a token, which serves until the file has been read once. */
function authorizationOf(user: KubeconfigUser, deps: FileDeps): Refreshable<Authorization> | undefined {
  if (user.tokenFile !== undefined) {
    const file = tokenFile(user.tokenFile, deps, user.token)
    return { current: async (options) => bearer(await file.current(options)) }
  }
  if (user.token) return constant(bearer(user.token))
  if (hasPassword(user)) return constant(basic(user.username ?? '', user.password))
  return undefined
}

const constant = <T>(value: T): Refreshable<T> => ({ current: () => Promise.resolve(value) })
