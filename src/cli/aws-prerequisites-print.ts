import type { Command } from 'commander'
import type { EksCluster, Wrong } from '../registration/drivers/awsirsa/names.ts'
import { parseEksArn } from '../registration/drivers/awsirsa/names.ts'
import {
  clusterPrerequisites,
  hubPrerequisites,
  parseOidcProvider,
  prerequisiteFormats,
} from '../registration/drivers/awsirsa/prerequisites/index.ts'
import type { ClusterPrerequisitesOptions, HubPrerequisitesOptions } from './aws-prerequisites.ts'
import { printOn } from './print-on.ts'

/** `lanyard aws prerequisites hub`. */
export function printHubRole(options: HubPrerequisitesOptions, command: Command): void {
  const hub = clusterOf('--hub-cluster-arn', options.hubClusterArn, command)
  const identity = {
    ...providerOf(options, hub, command),
    namespace: nameOf('--namespace', options.namespace, command),
  }
  const role = right(hubPrerequisites(hub, identity), command)
  printOn(command)(prerequisiteFormats[options.output](role))
}

/** `lanyard aws prerequisites cluster`. */
export function printClusterRole(options: ClusterPrerequisitesOptions, command: Command): void {
  const hub = clusterOf('--hub-cluster-arn', options.hubClusterArn, command)
  const managed = clusterOf('--managed-cluster-arn', options.managedClusterArn, command)
  const identity = {
    ...providerOf(options, managed, command),
    namespace: nameOf('--namespace', options.namespace, command),
    klusterlet: nameOf('--klusterlet', options.klusterlet, command),
  }
  const role = right(clusterPrerequisites(hub, managed, identity), command)
  printOn(command)(prerequisiteFormats[options.output](role))
}

function clusterOf(flag: string, arn: string | undefined, command: Command): EksCluster {
  if (arn === undefined)
    return command.error(
      `error: ${flag} is missing; \`aws eks describe-cluster --name NAME --query cluster.arn --output text\` prints it`,
    )
  return right(parseEksArn(arn), command, `${flag}: `)
}

function providerOf({ oidcProvider }: HubPrerequisitesOptions, { name, region }: EksCluster, command: Command) {
  if (oidcProvider === undefined)
    return command.error(
      `error: --oidc-provider is missing; \`aws eks describe-cluster --name ${name} --region ${region} --query cluster.identity.oidc.issuer --output text\` prints it`,
    )
  return right(parseOidcProvider(oidcProvider), command, '--oidc-provider: ')
}

function nameOf(flag: string, name: string, command: Command): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return name
  return command.error(
    `error: ${flag}: ${JSON.stringify(name)} has to have at most 63 lower-case letters, digits and dashes, beginning and ending with a letter or digit`,
  )
}

const right = <T extends object>(found: T | Wrong, command: Command, where = ''): T =>
  'wrong' in found ? command.error(`error: ${where}${found.wrong}`) : found
