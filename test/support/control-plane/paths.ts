import { join } from 'node:path'

/** Where everything of one control plane lies. */
export function pathsIn(dir: string) {
  const at = (name: string) => join(dir, name)
  return {
    dir,
    etcdData: at('etcd-data'),
    etcdSocket: at('etcd.sock:0'),
    serverCaCert: at('server-ca.crt'),
    serverCert: at('server.crt'),
    serverKey: at('server.key'),
    clientCaCert: at('client-ca.crt'),
    clientCaKey: at('client-ca.key'),
    serviceAccountKey: at('service-account.key'),
    serviceAccountPublicKey: at('service-account.pub'),
    adminKubeconfig: at('admin.kubeconfig'),
    controllerManagerKubeconfig: at('kube-controller-manager.kubeconfig'),
    authorizationConfig: at('authorization.yaml'),
    authenticationConfig: at('authentication.yaml'),
    tokenWebhookConfig: at('token-webhook.kubeconfig'),
    admissionConfig: at('admission.yaml'),
    webhookUsers: at('webhook-users.kubeconfig'),
    auditPolicy: at('audit-policy.yaml'),
    auditLog: at('audit.log'),
    oidcCa: at('oidc-ca.crt'),
    descriptor: at('descriptor.json'),
    log: (program: string) => at(`${program}.log`),
    pid: (program: string) => at(`${program}.pid`),
  }
}

export type Paths = ReturnType<typeof pathsIn>
