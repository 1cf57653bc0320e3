import { readFile } from 'node:fs/promises'
import { systemClock } from '../core/clock.ts'
import { formatExecCredential, wantedVersion } from '../registration/drivers/awsirsa/token/exec-credential.ts'
import { endpointOf } from '../registration/drivers/awsirsa/token/presign.ts'
import type { TokenSourceDeps } from '../registration/drivers/awsirsa/token/token-source.ts'
import { tokenSource } from '../registration/drivers/awsirsa/token/token-source.ts'
import type { AwsTokenOptions } from './aws-token.ts'

export interface AwsTokenDeps extends Partial<TokenSourceDeps> {
  print(text: string): void
  signal: AbortSignal
}

/** Nothing but the credential goes to standard output: a client of Kubernetes reads it. */
export async function printAwsToken(
  { region, clusterName, roleArn, stsEndpoint }: AwsTokenOptions,
  { print, signal, ...given }: AwsTokenDeps,
): Promise<void> {
  const deps = {
    env: process.env,
    clock: systemClock,
    readFile: (path: string) => readFile(path, 'utf8'),
    ...given,
  }
  const apiVersion = wantedVersion(deps.env['KUBERNETES_EXEC_INFO'])
  const tokens = tokenSource(
    {
      region,
      clusterName,
      ...(roleArn !== undefined && { roleArn }),
      ...(stsEndpoint !== undefined && { endpoint: endpointOf(stsEndpoint) }),
    },
    deps,
  )
  print(`${formatExecCredential(await tokens.token({ signal }), apiVersion)}\n`)
}
