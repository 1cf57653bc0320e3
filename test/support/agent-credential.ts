import { Secret } from '../../src/core/secret.ts'
import { agentSecrets } from '../../src/fleet/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { ControlPlane } from './control-plane.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'

/** A client of the hub with the certificate that the agent in this namespace keeps at present. */
export async function agentsClient(
  t: TestScope,
  plane: ControlPlane,
  home: Kube,
  namespace: string,
): Promise<KubeClient> {
  const { data = {} } = await home.of(secrets, namespace).get(agentSecrets.hubKubeconfig)
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString()
  const certificate = { certPem: text('tls.crt'), keyPem: Secret.of(text('tls.key')) }
  return kubeClient(t, plane.connection({ certificate }))
}
