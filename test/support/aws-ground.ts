import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CreateOpenIDConnectProviderCommand,
  CreateRoleCommand,
  IAMClient,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam'
import { awsPrerequisitesCommand } from '../../src/cli/aws-prerequisites.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { AuthenticationMode, AwsAccount, AwsCluster, AwsStandIn } from '../../src/demo/aws/index.ts'
import { startAws } from '../../src/demo/aws/index.ts'
import { agentNamespace, hubNamespace } from '../../src/fleet/names.ts'
import type { EksCluster } from '../../src/registration/drivers/awsirsa/names.ts'
import { parseEksArn } from '../../src/registration/drivers/awsirsa/names.ts'
import { audience, planeIssuer, webIssuer } from './aws-issuer.ts'
import type { OwnControlPlane } from './control-plane.ts'
import { inProcess } from './in-process-cli.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export const hubAccount = '111122223333'
export const managedAccount = '444455556666'
export const region = 'eu-west-1'

/** Accounts of Kubernetes, as the agent and the hub of Lanyard run. */
const agentPod = (namespace: string) => `system:serviceaccount:${namespace}:lanyard-agent`
const hubPod = `system:serviceaccount:${hubNamespace}:registration-controller-sa`

/** What `lanyard aws prerequisites … -o json` prints. */
export interface PrintedRole {
  roleName: string
  roleArn: string
  description: string
  tags: Record<string, string>
  trustPolicy: object
  policies: { policyName: string; policyDocument: object }[]
}

/** What EKS puts into the environment of a pod with a role. */
export interface PodEnv extends Record<string, string> {
  AWS_WEB_IDENTITY_TOKEN_FILE: string
  AWS_ROLE_ARN: string
  AWS_REGION: string
}

/** An EKS cluster with its OpenID provider. */
export interface EksSite {
  eks: EksCluster
  cluster: AwsCluster
  /** Without https://. */
  oidcProvider: string
  /** A web identity token of one of its service accounts. */
  webToken(subject: string): string | Promise<string>
}

export interface AwsSpoke extends EksSite {
  /** Of the role that its agent has from the start. */
  role: PrintedRole
  /** Of the pod of its agent. */
  env: PodEnv
}

export interface SpokeOptions {
  /** Of AWS. Default: that of the clusters. */
  account?: string
  /** Of its agent. */
  namespace?: string
  /** The API server that issues the tokens of its service accounts. Default: none, the test signs them itself. */
  issuer?: OwnControlPlane
}

export interface AwsGround {
  aws: AwsStandIn
  hubSide: AwsAccount
  managedSide: AwsAccount
  hub: EksSite
  /** With which the hub makes roles, and the environment of its pod. */
  creator: PrintedRole
  hubEnv: PodEnv
  /** An EKS cluster whose administrator has made the role that joins. */
  spoke(name: string, options?: SpokeOptions): Promise<AwsSpoke>
  /** An EKS cluster whose administrator has done nothing yet. */
  site(name: string, options?: SpokeOptions): Promise<EksSite>
  /** As an administrator with the SDK would. */
  apply(role: PrintedRole): Promise<void>
  iam(account: AwsAccount): IAMClient
}

const command = inProcess(awsPrerequisitesCommand)
const printed = async (...args: string[]): Promise<PrintedRole> =>
  JSON.parse((await command.run(...args, '-o', 'json')).out)

export const printedForHub = ({ eks, oidcProvider }: EksSite) =>
  printed('hub', '--hub-cluster-arn', eks.arn, '--oidc-provider', oidcProvider)

export const printedForSpoke = (hub: EksSite, { eks, oidcProvider }: EksSite, namespace: string = agentNamespace) =>
  printed(
    ...['cluster', '--hub-cluster-arn', hub.eks.arn, '--managed-cluster-arn', eks.arn],
    ...['--oidc-provider', oidcProvider, '--namespace', namespace],
  )

/**
 * Two accounts of AWS, of the hub and of the clusters, by the stand-in and, unless another is given, on the real clock, as
 * real SDKs and real API servers want it. What has to be in IAM before is made from what Lanyard prints.
 */
export async function awsGround(
  t: TestScope,
  options: { authenticationMode?: AuthenticationMode; canary?: string; clock?: Clock } = {},
): Promise<AwsGround> {
  const { authenticationMode = 'API', canary, clock = systemClock } = options
  const aws = await startAws({ clock, ...(canary !== undefined && { canary }) })
  teardown(t, () => aws.close())
  const dir = tempDir(t)
  const sides = new Map([hubAccount, managedAccount].map((id) => [id, aws.account(id)]))
  const side = (id: string): AwsAccount => sides.get(id) ?? aws.account(id)
  const clients = new Map<string, IAMClient>()
  const iam = (account: AwsAccount): IAMClient => {
    const known = clients.get(account.id)
    if (known) return known
    const made = new IAMClient({ region, endpoint: aws.url, credentials: account.admin, maxAttempts: 1 })
    teardown(t, () => made.destroy())
    clients.set(account.id, made)
    return made
  }

  const providers = new Set<string>()
  async function site(
    name: string,
    { account = managedAccount, issuer }: SpokeOptions = {},
    mode: AuthenticationMode = 'API',
  ): Promise<EksSite> {
    const { oidcProvider, webToken, keys } = issuer ? planeIssuer(t, issuer) : webIssuer(name, region)
    const cluster = aws.cluster({ account, name, region, authenticationMode: mode, issuer: `https://${oidcProvider}` })
    aws.issuerKeys(`https://${oidcProvider}`, keys)
    const provider = { Url: `https://${oidcProvider}`, ClientIDList: [audience] }
    if (!providers.has(`${account} ${oidcProvider}`))
      await iam(side(account)).send(new CreateOpenIDConnectProviderCommand(provider))
    providers.add(`${account} ${oidcProvider}`)
    const eks = parseEksArn(cluster.arn)
    if ('wrong' in eks) throw new Error(eks.wrong)
    return { eks, cluster, oidcProvider, webToken }
  }

  async function apply({ roleName, roleArn, description, tags, trustPolicy, policies }: PrintedRole): Promise<void> {
    const client = iam(side(roleArn.split(':')[4] ?? ''))
    await client.send(
      new CreateRoleCommand({
        RoleName: roleName,
        Description: description,
        AssumeRolePolicyDocument: JSON.stringify(trustPolicy),
        Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
      }),
    )
    for (const { policyName, policyDocument } of policies)
      await client.send(
        new PutRolePolicyCommand({
          RoleName: roleName,
          PolicyName: policyName,
          PolicyDocument: JSON.stringify(policyDocument),
        }),
      )
  }

  const podEnv = (name: string, token: string, { roleArn }: PrintedRole): PodEnv => {
    const path = join(dir, `${name}.token`)
    writeFileSync(path, token, { mode: 0o600 })
    return { AWS_WEB_IDENTITY_TOKEN_FILE: path, AWS_ROLE_ARN: roleArn, AWS_REGION: region }
  }

  const hub = await site('hub', { account: hubAccount }, authenticationMode)
  const creator = await printedForHub(hub)
  await apply(creator)
  return {
    aws,
    hubSide: side(hubAccount),
    managedSide: side(managedAccount),
    hub,
    creator,
    hubEnv: podEnv('hub', await hub.webToken(hubPod), creator),
    async spoke(name, options = {}) {
      const { namespace = agentNamespace } = options
      const made = await site(name, options)
      const role = await printedForSpoke(hub, made, namespace)
      await apply(role)
      return { ...made, role, env: podEnv(name, await made.webToken(agentPod(namespace)), role) }
    },
    site: (name, options) => site(name, options),
    apply,
    iam,
  }
}
