/**
 * In a cloud the process has an identity of its own: a workload identity, an IAM role, a managed identity. Nothing else
 * is used there. A key that somebody wrote down is refused wherever it turns up, unless its entry says that it is meant.
 */
import { failures } from './failures.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Whatever the case, dashes and underscores of a field: AWS, Google, Azure, and what their SDKs call the same. */
const keyFields = new Set([
  'accesskey',
  'accesskeyid',
  'awsaccesskeyid',
  'secretkey',
  'secretaccesskey',
  'awssecretaccesskey',
  'sessiontoken',
  'awssessiontoken',
  'privatekey',
  'privatekeyid',
  'serviceaccountkey',
  'serviceaccountjson',
  'credentialsjson',
  'jsonkey',
  'clientsecret',
  'azureclientsecret',
  'accountkey',
  'sharedaccesskey',
  'connectionstring',
])

const keyValues = [
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /"type"\s*:\s*"service_account"/,
  /\b(?:AccountKey|SharedAccessKey)=/,
]

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** The path of the first static key within `value`; undefined when there is none. */
export function staticKeyIn(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return keyValues.some((key) => key.test(value)) ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const field = path === '' ? name : `${path}.${name}`
    if (keyFields.has(plain(name)) && inner !== undefined && inner !== '') return field
    const found = staticKeyIn(inner, field)
    if (found !== undefined) return found
  }
  return undefined
}

/** Throws PULL_STATIC_KEY, naming the field and never its value. `entry` is how the configuration calls it: `registry ecr`, `sink aws`. */
export function refuseStaticKeys(entry: string, config: { allowStaticKeys?: boolean }): void {
  if (config.allowStaticKeys) return
  const field = staticKeyIn(config)
  if (field !== undefined) throw failures.PULL_STATIC_KEY({ entry, field })
}

/** What every program needs, and what tells it which identity the platform has given it. */
const ambientVariables = new Set([
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ROLE_ARN',
  'AWS_ROLE_SESSION_NAME',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
  'AWS_STS_REGIONAL_ENDPOINTS',
  'GOOGLE_CLOUD_PROJECT',
  'GCE_METADATA_HOST',
  'AZURE_CLIENT_ID',
  'AZURE_TENANT_ID',
  'AZURE_AUTHORITY_HOST',
  'AZURE_FEDERATED_TOKEN_FILE',
  'IDENTITY_ENDPOINT',
])

const staticKeyVariables = new Set([
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_PROFILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'AZURE_CLIENT_SECRET',
  'AZURE_CLIENT_CERTIFICATE_PATH',
  'AZURE_USERNAME',
  'AZURE_PASSWORD',
])

/** What of this process's environment a program or an SDK may see. Passwords of ours, such as the database's, are never among it. */
export function ambientEnvironment(
  environment: Environment,
  { allowStaticKeys = false }: { allowStaticKeys?: boolean } = {},
): Record<string, string> {
  const isHandedOn = (name: string) => ambientVariables.has(name) || (allowStaticKeys && staticKeyVariables.has(name))
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && isHandedOn(name) ? [[name, value]] : [],
    ),
  )
}
