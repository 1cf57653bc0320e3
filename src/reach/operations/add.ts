import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Step } from '../../core/step.ts'
import { managedBy, secretData } from '../../fleet/manifests/manifest.ts'
import { spokeLabels } from '../../fleet/spoke/names.ts'
import { isForbidden, isNotFound } from '../../kube/failures.ts'
import { secrets } from '../../kube/kinds.ts'
import type { KubeObject, Stored } from '../../kube/objects.ts'
import { isHandedOver } from '../overview/pending-asks.ts'
import { readClusterConfigs } from '../overview/read-cluster-configs.ts'
import type { ReachPlan, ReachWish } from './add-plan.ts'
import { planReach } from './add-plan.ts'
import type { ReachOperationDeps } from './deps.ts'
import { failures } from './failures.ts'

/** Ours alone: what people add to a ClusterConfig by other means stays. */
const fieldManager = 'lanyard-reach-add'

/** Gives the hub a way into a cluster. Repeats well: another way takes the place of the one it gave before. */
export async function* addReach(wish: ReachWish, deps: ReachOperationDeps): AsyncGenerator<Step> {
  const { name, namespace } = wish
  checkName(name)
  yield { doing: `storing the way into ${name}` }
  const before = await existing(wish, deps)
  const plan = planReach(wish)
  await checkSecrets(wish, plan, deps)
  await store(wish, plan, deps)
  await removeOthers(wish, plan, deps)
  const kept = plan.secrets.map((secret) => `Secret ${namespace}/${secret.name}`)
  yield {
    did: before ? `the hub has this way into ${name} now` : `the hub has a way into ${name}`,
    detail: [`ClusterConfig ${namespace}/${name}`, ...kept].join(', '),
  }
}

/** Without a look at what is there: for whoever knows that it is theirs. */
export const storeReach = (wish: ReachWish, deps: Omit<ReachOperationDeps, 'clock'>): Promise<void> =>
  store(wish, planReach(wish), deps)

async function store(
  { name, namespace }: ReachWish,
  plan: ReachPlan,
  { kube, signal }: Omit<ReachOperationDeps, 'clock'>,
): Promise<void> {
  const labels = { ...managedBy, ...plan.labels }
  const options = { fieldManager, force: true, signal }
  try {
    for (const { name: secret, texts } of plan.secrets) {
      const values = Object.entries(texts).map(([key, text]) => [key, typeof text === 'string' ? text : text.reveal()])
      const data = secretData(Object.fromEntries(values))
      await kube.of(secrets, namespace).apply({ metadata: { name: secret, labels }, data }, options)
    }
    const configs = kube.of(ClusterConfig.resource, namespace)
    await configs.apply({ metadata: { name, labels }, spec: plan.spec }, options)
  } catch (error) {
    if (isNotFound(error)) throw failures.REACH_NO_NAMESPACE({ namespace }, error)
    throw error
  }
}

const isLabel = (name: string): boolean => name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)

export function checkName(name: string): void {
  if (!isLabel(name)) throw failures.REACH_NAME_INVALID({ name: JSON.stringify(name) })
}

/** The one that is there, if it may be changed by this. */
async function existing({ name, namespace }: ReachWish, { kube, signal }: ReachOperationDeps) {
  const there = await readClusterConfigs(kube, { signal }).catch((error: unknown) => {
    // Whoever may look at one namespace only is told by the hub's webhook where the name is taken.
    if (isForbidden(error)) return readClusterConfigs(kube, { signal, namespace })
    throw error
  })
  const found = there.filter(({ metadata }) => metadata.name === name)
  const handedOver = found.find(isHandedOver)
  if (handedOver) throw failures.REACH_TAKEN({ cluster: name, namespace: handedOver.metadata.namespace })
  const elsewhere = found.find(({ metadata }) => metadata.namespace !== namespace)
  if (elsewhere) mustBeOurs('ClusterConfig', elsewhere, name)
  if (elsewhere) throw failures.REACH_ELSEWHERE({ name, namespace: elsewhere.metadata.namespace })
  const [one] = found
  if (one?.metadata.deletionTimestamp) throw failures.REACH_LEAVES({ name })
  if (one) mustBeOurs('ClusterConfig', one, name)
  return one
}

async function checkSecrets({ name, namespace }: ReachWish, plan: ReachPlan, { kube, signal }: ReachOperationDeps) {
  for (const { name: secret } of plan.secrets) {
    const found = await kube.of(secrets, namespace).metadata.find(secret, { signal })
    if (found) mustBeOurs('Secret', found, name)
  }
}

function mustBeOurs(kind: string, { metadata }: Stored<KubeObject>, name: string): void {
  if (metadata.labels?.[spokeLabels.added] === name) return
  throw failures.REACH_NOT_OURS({ kind, namespace: metadata.namespace, name: metadata.name })
}

/** What an earlier way needed and this one does not: nobody should have to know that a credential is still about. */
async function removeOthers({ name, namespace }: ReachWish, plan: ReachPlan, { kube, signal }: ReachOperationDeps) {
  const labelSelector = `${spokeLabels.added}=${name}`
  const { items } = await kube.of(secrets, namespace).metadata.list({ labelSelector, signal })
  const wanted = new Set(plan.secrets.map((secret) => secret.name))
  for (const { metadata } of items)
    if (!wanted.has(metadata.name)) await kube.of(secrets, namespace).delete(metadata.name, { signal })
}
