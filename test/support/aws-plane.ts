import type { Authenticator, AwsAuthData } from '../../src/demo/aws/authenticator/index.ts'
import { startAuthenticator } from '../../src/demo/aws/authenticator/index.ts'
import { configMaps } from '../../src/kube/kinds.ts'
import type { AwsGround } from './aws-ground.ts'
import type { ControlPlaneOptions, OwnControlPlane } from './control-plane.ts'
import { startControlPlane } from './control-plane.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** What the ConfigMap aws-auth says on a control plane, once there is one. */
interface AwsAuthReader {
  read(): Promise<AwsAuthData | undefined>
}

export interface AwsPlane {
  plane: OwnControlPlane
  /** By which the plane knows the bearers of AWS tokens. */
  authenticator: Authenticator
}

/** The API server of the hub's EKS cluster: it takes tokens of AWS identities for what EKS or aws-auth says they are. */
export async function startAwsPlane(
  t: TestScope,
  { aws, hub }: Pick<AwsGround, 'aws' | 'hub'>,
  options: ControlPlaneOptions = {},
): Promise<AwsPlane> {
  const reader: AwsAuthReader = { read: async () => undefined }
  const authenticator = await startAuthenticator({ aws, cluster: hub.cluster, awsAuth: () => reader.read() })
  teardown(t, () => authenticator.close())
  const plane = await startControlPlane(t, { ...options, tokenWebhookConfig: authenticator.kubeconfig })
  const admin = kubeClient(t, plane.connection())
  reader.read = async () => (await admin.of(configMaps, 'kube-system').find('aws-auth'))?.data
  return { plane, authenticator }
}
