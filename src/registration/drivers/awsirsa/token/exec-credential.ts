import { rfc3339 } from '../../../../core/conditions.ts'
import { failures } from './failures.ts'
import type { EksToken } from './presign.ts'

const group = 'client.authentication.k8s.io'
const versions = [`${group}/v1beta1`, `${group}/v1`] as const
export type ExecApiVersion = (typeof versions)[number]

/** What whoever runs the plugin understands, by its KUBERNETES_EXEC_INFO. v1beta1 where it does not say. */
export function wantedVersion(execInfo: string | undefined): ExecApiVersion {
  const apiVersion = execInfo ? versionIn(execInfo) : undefined
  if (apiVersion === undefined) return versions[0]
  const known = versions.find((version) => version === apiVersion)
  if (!known) throw failures.AWS_EXEC_INFO_INVALID({ apiVersion, known: versions.join(' or ') })
  return known
}

function versionIn(execInfo: string): string | undefined {
  try {
    const { apiVersion } = JSON.parse(execInfo)
    return typeof apiVersion === 'string' ? apiVersion : undefined
  } catch {
    return undefined
  }
}

/** What a plugin prints, the same as `aws eks get-token` does. */
export const formatExecCredential = ({ token, expiresAt }: EksToken, apiVersion: ExecApiVersion): string =>
  JSON.stringify({
    kind: 'ExecCredential',
    apiVersion,
    spec: {},
    status: { expirationTimestamp: rfc3339(expiresAt), token: token.reveal() },
  })
