import { CreateOpenIDConnectProviderCommand } from '@aws-sdk/client-iam'
import { AssumeRoleCommand, AssumeRoleWithWebIdentityCommand } from '@aws-sdk/client-sts'
import type { Provocation } from './provocations-caller.ts'
import type { Scene } from './scene.ts'
import { hubAccount, issuer, managedAccount, podIssuer, trustWeb } from './scene.ts'

const assume = ({ clients, hub }: Scene, RoleArn: string, more: object = {}, by = hub.admin) =>
  clients(by).sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'session', ...more }))

const subject = 'system:serviceaccount:open-cluster-management-agent:klusterlet-registration-sa'

type Pod = Awaited<ReturnType<typeof podIssuer>>

/** A pod that is trusted, with what is done otherwise. */
const asPod =
  (act: {
    token: (pod: Pod, scene: Scene) => string | Promise<string>
    provider?: boolean
    keys?: boolean
  }): Provocation =>
  async (scene) => {
    const { aws, clients, managed, createRole, clock } = scene
    const pod = await podIssuer(clock)
    if (act.keys !== false) aws.issuerKeys(issuer, pod.keys)
    const ClientIDList = ['sts.amazonaws.com']
    if (act.provider !== false)
      await clients(managed.admin).iam.send(new CreateOpenIDConnectProviderCommand({ Url: issuer, ClientIDList }))
    const RoleArn = await createRole('pods', { by: managed.admin, trust: trustWeb(subject) })
    const WebIdentityToken = await act.token(pod, scene)
    await clients().sts.send(
      new AssumeRoleWithWebIdentityCommand({ RoleArn, RoleSessionName: 'pod', WebIdentityToken }),
    )
  }

export const stsProvocations = {
  ASSUME_NOT_ALLOWED: (scene) => assume(scene, `arn:aws:iam::${hubAccount}:role/not-there`),
  async TAG_SESSION_NOT_ALLOWED(scene) {
    const arn = await scene.createRole('r')
    await assume(scene, arn, { Tags: [{ Key: 'managed_cluster_name', Value: 'another' }] })
  },
  async DURATION_OVER_ROLES(scene) {
    const arn = await scene.createRole('r')
    await assume(scene, arn, { DurationSeconds: 7200 })
  },
  async DURATION_OVER_CHAIN(scene) {
    const first = await scene.createRole('first')
    const trust = { Statement: { Effect: 'Allow', Principal: { AWS: first }, Action: 'sts:AssumeRole' } }
    const second = await scene.createRole('second', { trust })
    await assume(scene, second, { DurationSeconds: 3601 }, scene.hub.session('first'))
  },
  WEB_NOT_ALLOWED: asPod({ token: (pod) => pod.token('system:serviceaccount:default:other') }),
  WEB_TOKEN_UNREADABLE: asPod({ token: () => 'not.a.token' }),
  WEB_PROVIDER_UNKNOWN: asPod({ provider: false, token: (pod) => pod.token(subject) }),
  WEB_AUDIENCE_WRONG: asPod({ token: (pod) => pod.token(subject, { audience: 'somebody-else' }) }),
  WEB_TOKEN_FORGED: asPod({ token: async (_, { clock }) => (await podIssuer(clock)).token(subject) }),
  WEB_TOKEN_EXPIRED: asPod({
    async token(pod, { clock }) {
      const token = await pod.token(subject, { seconds: 600 })
      await clock.advance('10m')
      return token
    },
  }),
  WEB_KEYS_UNREACHABLE: asPod({ keys: false, token: (pod) => pod.token(subject) }),
} satisfies Record<string, Provocation>

export const trustedSubject = subject
export const podsRole = `arn:aws:iam::${managedAccount}:role/pods`
