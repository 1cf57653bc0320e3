/** What a document lets its holder do: the credentials in it, tried at the stand-ins. */
import type { PullSecret } from '../../src/pull-secrets/service.ts'
import type { PullSecretScene } from './pull-secret-scene.ts'

export interface Login {
  host: string
  auth: string
  username: string
  token: string
}

/** One a host, the hosts sorted. */
export function loginsOf({ document }: PullSecret): Login[] {
  const { auths } = JSON.parse(document.json.reveal()) as { auths: Record<string, { auth: string }> }
  return Object.entries(auths).map(([host, { auth }]) => {
    const [username = '', ...rest] = Buffer.from(auth, 'base64').toString().split(':')
    return { host, auth, username, token: rest.join(':') }
  })
}

export const authsOf = (secret: PullSecret): Record<string, string> =>
  Object.fromEntries(loginsOf(secret).map(({ host, auth }) => [host, auth]))

/** The hosts at which these credentials are let in now. */
export const letIn = ({ quay, redhat }: Pick<PullSecretScene, 'quay' | 'redhat'>, logins: readonly Login[]): string[] =>
  logins
    .filter(({ host, username, token }) =>
      (host === 'quay.io' || host === 'cloud.openshift.com' ? quay : redhat).logsIn(username, token),
    )
    .map(({ host }) => host)
