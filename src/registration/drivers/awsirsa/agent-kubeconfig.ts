import { Secret } from '../../../core/secret.ts'
import type { HubStanza } from '../../../fleet/hub-stanza.ts'
import { hubKubeconfig, readHubKubeconfig } from '../../../fleet/hub-stanza.ts'
import type { KubeconfigExec } from '../../../kube/kubeconfig/index.ts'
import { parseKubeconfig, selectContext } from '../../../kube/kubeconfig/index.ts'

/** As what an agent comes to the API server of an EKS hub. */
export interface HubAccess {
  readonly region: string
  /** Of the EKS cluster of the hub. */
  readonly clusterName: string
  readonly roleArn: string
}

/** Which program makes the tokens for those who use the kubeconfig. */
export type ExecForm =
  | { readonly form: 'lanyard'; readonly command: string; readonly stsEndpoint?: string }
  /** That of the seed, for pods that have the CLI and not Lanyard. */
  | { readonly form: 'aws'; readonly command: string }

/** The agent's kubeconfig for the hub: the way there as in the bootstrap one, and a plugin in place of a key. */
export const formatAwsKubeconfig = (hub: HubStanza, access: HubAccess, form: ExecForm): Secret =>
  hubKubeconfig(hub, { exec: execOf(access, form) })

const execOf = (access: HubAccess, form: ExecForm): KubeconfigExec => ({
  apiVersion: 'client.authentication.k8s.io/v1beta1',
  command: form.command,
  args: argsOf(access, form).map((arg) => Secret.of(arg)),
  interactiveMode: 'Never',
})

function argsOf({ region, clusterName, roleArn }: HubAccess, form: ExecForm): string[] {
  // `--role` and this order are what `aws eks update-kubeconfig` writes.
  if (form.form === 'aws')
    return [
      '--region',
      region,
      'eks',
      'get-token',
      '--cluster-name',
      clusterName,
      '--output',
      'json',
      '--role',
      roleArn,
    ]
  const endpoint = form.stsEndpoint === undefined ? [] : ['--sts-endpoint', form.stsEndpoint]
  return ['aws', 'token', '--region', region, '--cluster-name', clusterName, '--role-arn', roleArn, ...endpoint]
}

/** Which hub a kubeconfig is for, and as what; undefined for what no agent with an AWS identity wrote. */
export function readAwsKubeconfig(text: string): { stanza: HubStanza; access: HubAccess } | undefined {
  const stanza = readHubKubeconfig(text)
  if (!stanza) return undefined
  const { user } = selectContext(parseKubeconfig(text, { name: 'the kept kubeconfig' }), undefined, 'it')
  const args = user?.value.exec?.args?.map((arg) => arg.reveal()) ?? []
  const after = (...flags: string[]) => args.find((_, index) => flags.includes(args[index - 1] ?? ''))
  const [region, clusterName, roleArn] = [after('--region'), after('--cluster-name'), after('--role', '--role-arn')]
  return region && clusterName && roleArn ? { stanza, access: { region, clusterName, roleArn } } : undefined
}

export const isSameAccess = (a: HubAccess, b: HubAccess): boolean =>
  a.region === b.region && a.clusterName === b.clusterName && a.roleArn === b.roleArn
