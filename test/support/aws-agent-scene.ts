import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { awsAgentDriver } from '../../src/registration/drivers/awsirsa/agent-driver.ts'
import type { ExecForm } from '../../src/registration/drivers/awsirsa/agent-kubeconfig.ts'
import type { AgentScene, AgentSceneOptions } from './agent-scene.ts'
import { agentScene, isJoined, setAccepted } from './agent-scene.ts'
import type { AwsSpoke } from './aws-ground.ts'
import type { AwsScene } from './aws-scene.ts'
import { tokensOf } from './aws-scene.ts'
import { eventually } from './eventually.ts'
import type { TestScope } from './test-scope.ts'

export interface AwsAgentSceneOptions extends AgentSceneOptions {
  /** Of the kubeconfig that it writes. */
  exec?: ExecForm
}

/** The agent of an EKS cluster, just started: with the web identity of its pod, and nothing else of AWS. */
export const awsAgent = (
  t: TestScope,
  scene: AwsScene,
  spoke: AwsSpoke,
  { exec = { form: 'lanyard', command: 'lanyard' }, ...options }: AwsAgentSceneOptions = {},
): Promise<AgentScene> => {
  const driver = awsAgentDriver({
    eks: { hub: scene.hub.eks, managed: spoke.eks },
    exec,
    tokens: tokensOf(scene, spoke, spoke),
  })
  return agentScene(t, scene.plane, { ...options, parts: { ...options.parts, driver } })
}

/** One that has joined: an administrator of the hub accepted it. */
export async function awsMember(
  t: TestScope,
  scene: AwsScene,
  spoke: AwsSpoke,
  options: AwsAgentSceneOptions = {},
): Promise<AgentScene> {
  const joining = await awsAgent(t, scene, spoke, options)
  await eventually('its cluster is there', () => scene.admin.of(ManagedCluster.resource).find(joining.cluster))
  await setAccepted(scene.admin, joining.cluster)
  await isJoined(joining)
  return joining
}
