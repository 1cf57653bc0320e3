import { addonsHub } from '../../src/addons/hub/index.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import { informer } from '../../src/kube/informer.ts'
import { awsAgentDriver } from '../../src/registration/drivers/awsirsa/agent-driver.ts'
import type { AddonScene, AddonSceneOptions } from './addon-scene.ts'
import { addonScene } from './addon-scene.ts'
import type { AgentScene } from './agent-scene.ts'
import { isJoined, setAccepted } from './agent-scene.ts'
import type { AwsScene, AwsSceneOptions } from './aws-scene.ts'
import { awsScene, tokensOf } from './aws-scene.ts'
import { uniqueName } from './builders.ts'
import { eventually } from './eventually.ts'
import { runInTest } from './fleet-scene.ts'
import type { TestScope } from './test-scope.ts'

/** A hub that clusters join by AWS IAM and that serves their add-ons. */
export async function awsAddonHub(t: TestScope, options: AwsSceneOptions = {}): Promise<AwsScene> {
  const scene = await awsScene(t, options)
  const common = { clock: systemClock, random: systemRandom, log: silentLog }
  const { admin: kube } = scene
  const clusters = informer(kube.of(ManagedCluster.resource), common)
  const events = eventRecorder(kube, { ...common, component: 'lanyard-hub' })
  const deps = { ...common, kube, clusters, events, metrics: noMetrics, checkpoint: passBy, settings: { labels: {} } }
  runInTest(t, [clusters.run, addonsHub(deps).run])
  return scene
}

/** The agent of an EKS cluster that has joined such a hub and takes care of the add-ons of its cluster. */
export async function awsAddonScene(t: TestScope, hub: AwsScene, options: AddonSceneOptions = {}): Promise<AddonScene> {
  const spoke = await hub.spoke(uniqueName('eks'))
  const driver = awsAgentDriver({
    eks: { hub: hub.hub.eks, managed: spoke.eks },
    exec: { form: 'lanyard', command: 'lanyard' },
    tokens: tokensOf(hub, spoke, spoke),
  })
  return await addonScene(t, hub.plane, { ...options, parts: { ...options.parts, driver }, letIn: acceptAlone })
}

/** There is no request to approve. */
async function acceptAlone(scene: AgentScene): Promise<void> {
  await eventually('its cluster is there', () => scene.admin.of(ManagedCluster.resource).find(scene.cluster))
  await setAccepted(scene.admin, scene.cluster)
  await isJoined(scene)
}
