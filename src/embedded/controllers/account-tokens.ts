import type { Secret, ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import { done } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { isAbsent, isConflict } from '../../kube/failures.ts'
import { secrets, serviceAccounts } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import { watching } from '../../kube/watching.ts'
import type { ControllerDeps } from './deps.ts'
import type { Informers } from './informers.ts'

export const accountTokenType = 'kubernetes.io/service-account-token'
const nameAnnotation = 'kubernetes.io/service-account.name'
const uidAnnotation = 'kubernetes.io/service-account.uid'

interface Account {
  readonly name: string
  readonly uid: string
}

/** What a Secret says of itself, so that it is known when the Secret is gone. */
interface Token {
  readonly namespace: string
  readonly name: string
  /** By name. */
  readonly account: string
  /** Of the account; empty before the Secret was filled. */
  readonly uid: string
}

/** Fills Secrets that ask for the token of a service account, deletes them with the account, and it forgets them. */
export function accountTokens(
  deps: ControllerDeps,
  { accountTokens: tokens, serviceAccounts: accounts }: Informers,
): Controller {
  const { kube } = deps
  const tokensOf = (namespace: string, account: string) =>
    tokens
      .list()
      .filter(({ metadata }) => metadata.namespace === namespace && metadata.annotations?.[nameAnnotation] === account)

  async function fill(secret: Stored<Secret>, signal: AbortSignal): Promise<void> {
    const { namespace, account: wanted, uid } = tokenOf(secret)
    const place = kube.of(secrets, namespace)
    const known = accounts.get(`${namespace}/${wanted}`)
    const account = isMeant(known, uid) ? known : await kube.of(serviceAccounts, namespace).find(wanted, { signal })
    if (!isMeant(account, uid))
      await place.delete(secret.metadata.name, { preconditions: { uid: secret.metadata.uid }, signal })
    else if (whatIsMissing(secret, deps.serverCaPem))
      await place.update(filled(secret, account.metadata, deps), { signal })
  }

  async function forget({ namespace, name, account: wanted, uid }: Token, signal: AbortSignal): Promise<void> {
    if (!isMeant(accounts.get(`${namespace}/${wanted}`), uid)) return
    const place = kube.of(serviceAccounts, namespace)
    const account = await place.find(wanted, { signal })
    if (!isMeant(account, uid) || !account.secrets?.some((secret) => secret.name === name)) return
    const { secrets: listed, ...rest } = account
    const left = listed.filter((secret) => secret.name !== name)
    await place.update(left.length > 0 ? { ...rest, secrets: left } : rest, { signal })
  }

  return controller(
    'serviceaccount-token',
    async (key, { signal }) => {
      const token = JSON.parse(key) as Token
      if (token.account === '') return done
      const secret = tokens.get(`${token.namespace}/${token.name}`)
      if (!secret) await forget(token, signal)
      else
        await fill(secret, signal).catch((error: unknown) => {
          // Somebody else was faster: the change that says so brings the key back.
          if (!isAbsent(error) && !isConflict(error)) throw error
        })
      return done
    },
    {
      ...deps,
      watches: [
        watching(tokens, keyOfToken),
        watching(accounts, ({ metadata: { namespace = '', name } }) => tokensOf(namespace, name).map(keyOfToken)),
      ],
    },
  )
}

function tokenOf({ metadata: { namespace = '', name, annotations = {} } }: Stored<Secret>): Token {
  return { namespace, name, account: annotations[nameAnnotation] ?? '', uid: annotations[uidAnnotation] ?? '' }
}

const keyOfToken = (secret: Stored<Secret>): string => JSON.stringify(tokenOf(secret))

/** Whether an account is the one that a token is for. Another may have its name by now. */
const isMeant = (account: Stored<ServiceAccount> | undefined, uid: string): account is Stored<ServiceAccount> =>
  account !== undefined && (uid === '' || account.metadata.uid === uid)

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const whatIsMissing = ({ data = {} }: Secret, serverCaPem: string): boolean =>
  !data['namespace'] || !data['token'] || data['ca.crt'] !== base64(serverCaPem)

/** A token that is there stays: somebody may hold it. */
function filled(
  secret: Stored<Secret>,
  { name, uid }: Account,
  { serverCaPem, accountToken }: ControllerDeps,
): Stored<Secret> {
  const { metadata, data = {} } = secret
  const { namespace = '' } = metadata
  return {
    ...secret,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [nameAnnotation]: name, [uidAnnotation]: uid } },
    data: {
      ...data,
      'ca.crt': base64(serverCaPem),
      namespace: data['namespace'] || base64(namespace),
      token: data['token'] || base64(accountToken(namespace, { name, uid }, metadata.name)),
    },
  }
}
