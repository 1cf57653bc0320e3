import type { Command } from 'commander'
import type { Step } from '../core/step.ts'
import { isEks } from '../fleet/eks.ts'
import { hubNamespace } from '../fleet/names.ts'
import { isForbidden } from '../kube/failures.ts'
import { serviceAccounts } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import type { CallerDeps } from '../registration/drivers/awsirsa/accept.ts'
import type { AccountOfAwsHub } from '../registration/manifests/hub-aws.ts'
import { readHubAccount } from '../registration/manifests/hub-aws.ts'
import { hubAccount } from '../registration/manifests/hub-rbac.ts'
import type { AwsWork } from '../registration/operations/aws-work.ts'
import type { AwsCallerOptions } from './aws-caller-flags.ts'
import { failures } from './failures.ts'
import type { CommandDeps } from './open-hub.ts'
import { loadSettings } from './settings.ts'

type Given = AwsCallerOptions & CommandDeps & Pick<AwsWork, 'hubWithinMs'>

/**
 * The work of a hub in AWS, by whoever runs the command, where the hub has no role for it. Nothing is looked at before
 * there is a cluster that comes by AWS IAM.
 */
export function awsByCaller(kube: Kube, command: Command, given: Given): AwsWork & Disposable {
  const opened = new DisposableStack()
  let whose: 'own' | 'hub' | undefined
  let account: Promise<AccountOfAwsHub> | undefined
  let deps: Promise<CallerDeps & Pick<AwsWork, 'check'>> | undefined
  const accountOfHub = () => (account ??= readAccount(kube, command, given))
  const callerDeps = () => (deps ??= depsOf())

  async function depsOf() {
    const [{ eksClusterOf }, { openOwnAws }, { parseTags }, said] = await Promise.all([
      import('./aws-install.ts'),
      import('../registration/drivers/awsirsa/clients/open-own.ts'),
      import('../registration/drivers/awsirsa/tags.ts'),
      accountOfHub(),
    ])
    const { clock, random, signal } = given
    const hub = eksClusterOf('--hub-cluster-arn', await hubArn(said, command, given))
    const parsed = parseTags(said.resourceTags)
    if ('wrong' in parsed)
      throw failures.FLAG_MALFORMED({ flag: '--aws-resource-tags of the hub', detail: parsed.wrong })
    const { iam, eks, check } = opened.use(openOwnAws({ hub, clock }))
    const version = () => kube.request<{ gitVersion: string }>({ path: '/version', signal })
    return {
      hub,
      tags: parsed.tags,
      iam,
      eks,
      isEks: async () => isEks((await version()).gitVersion),
      kube,
      clock,
      random,
      signal,
      check,
    }
  }

  async function* work(name: 'acceptByCaller' | 'revokeByCaller', cluster: string): AsyncGenerator<Step> {
    const library = await import('../registration/drivers/awsirsa/accept.ts')
    yield* library[name](await callerDeps(), cluster)
  }

  return {
    async by() {
      whose ??= given.awsCredentials ?? ((await accountOfHub()).hasRole ? 'hub' : 'own')
      return whose
    },
    hubWithinMs: given.hubWithinMs,
    check: async () => (await callerDeps()).check(),
    accept: (cluster) => work('acceptByCaller', cluster),
    revoke: (cluster) => work('revokeByCaller', cluster),
    [Symbol.dispose]: () => opened.dispose(),
  }
}

const namespaceOf = async (command: Command): Promise<string> =>
  (await loadSettings(command)).settings.namespace ?? hubNamespace

/** Where whoever asks may not read it, their flags have to say everything. */
async function readAccount(kube: Kube, command: Command, given: Given) {
  const namespace = await namespaceOf(command)
  try {
    const account = await kube.of(serviceAccounts, namespace).find(hubAccount, { signal: given.signal })
    return readHubAccount(account ?? {})
  } catch (error) {
    if (!isForbidden(error)) throw error
    const isSaid = given.awsCredentials === 'own' && given.hubClusterArn !== undefined
    if (!isSaid) throw failures.AWS_HUB_UNSEEN({ account: hubAccount, namespace }, error)
    return readHubAccount({})
  }
}

/** Of two that differ neither is taken: roles would be made that no hub knows of. */
async function hubArn({ hubClusterArn: found }: AccountOfAwsHub, command: Command, given: AwsCallerOptions) {
  const { hubClusterArn: flag } = given
  if (flag !== undefined && found !== undefined && flag !== found) throw failures.AWS_HUB_OTHER({ given: flag, found })
  const arn = flag ?? found
  if (arn === undefined) throw failures.AWS_HUB_UNNAMED({ account: hubAccount, namespace: await namespaceOf(command) })
  return arn
}
