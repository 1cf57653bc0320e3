import type { Check } from './checks.ts'
import { violation } from './checks.ts'
import type { KubeconfigExec } from './exec-config.ts'
import { isHeaderText } from './headers.ts'
import type { KubeconfigUser } from './user.ts'

type UserCheck = Check<KubeconfigUser>

const certificateIsGivenTwice: UserCheck = ({ clientCertificate, clientCertificateData }) =>
  clientCertificate !== undefined && clientCertificateData !== undefined
    ? violation('client-certificate', 'must not be given together with client-certificate-data')
    : undefined

const keyIsGivenTwice: UserCheck = ({ clientKey, clientKeyData }) =>
  clientKey !== undefined && clientKeyData !== undefined
    ? violation('client-key', 'must not be given together with client-key-data')
    : undefined

const certificateHasNoKey: UserCheck = (user) =>
  hasCertificate(user) && !hasKey(user)
    ? violation('client-key', 'is missing; a client certificate needs client-key or client-key-data')
    : undefined

const keyHasNoCertificate: UserCheck = (user) =>
  hasKey(user) && !hasCertificate(user)
    ? violation('client-certificate', 'is missing; a client key needs client-certificate or client-certificate-data')
    : undefined

const tokenAndPassword: UserCheck = (user) =>
  hasToken(user) && hasPassword(user)
    ? violation('username', 'must not be given together with a token; a request carries one of them')
    : undefined

const usernameHoldsColon: UserCheck = ({ username }) =>
  username?.includes(':') ? violation('username', 'must not contain a colon') : undefined

const tokenIsNoHeader: UserCheck = ({ token }) =>
  token && !isHeaderText(token.reveal())
    ? violation('token', 'holds characters that a header cannot carry; check it for line breaks')
    : undefined

const actsAsNobody: UserCheck = ({ as, asUid, asGroups, asUserExtra }) =>
  as === undefined && (asUid !== undefined || asGroups !== undefined || asUserExtra !== undefined)
    ? violation('as', 'is missing; as-uid, as-groups and as-user-extra need it')
    : undefined

const execCheck =
  (check: Check<KubeconfigExec>): UserCheck =>
  ({ exec }) => {
    const found = exec && check(exec)
    return found && violation(`exec.${found.field}`, found.problem)
  }

const commandIsMissing = execCheck(({ command }) => (command === '' ? violation('command', 'is missing') : undefined))

const execVersions: readonly string[] = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']

const versionIsUnknown = execCheck(({ apiVersion }) =>
  execVersions.includes(apiVersion) ? undefined : violation('apiVersion', `must be ${execVersions.join(' or ')}`),
)

// Only v1beta1 has a default, as in client-go.
const modeIsMissing = execCheck(({ apiVersion, interactiveMode }) =>
  interactiveMode === undefined && apiVersion === execVersions[0]
    ? violation('interactiveMode', 'is missing; it is one of Never, IfAvailable and Always')
    : undefined,
)

const modeIsUnknown = execCheck(({ interactiveMode = 'Never' }) =>
  ['Never', 'IfAvailable', 'Always'].includes(interactiveMode)
    ? undefined
    : violation('interactiveMode', 'must be Never, IfAvailable or Always'),
)

export const userChecks: readonly UserCheck[] = [
  certificateIsGivenTwice,
  keyIsGivenTwice,
  certificateHasNoKey,
  keyHasNoCertificate,
  tokenAndPassword,
  usernameHoldsColon,
  tokenIsNoHeader,
  actsAsNobody,
  commandIsMissing,
  versionIsUnknown,
  modeIsMissing,
  modeIsUnknown,
]

const hasAuthProvider: UserCheck = ({ authProvider }) =>
  authProvider && violation('auth-provider', 'is not supported, as in kubectl since 1.26; use an exec plugin instead')

export const unsupportedByUsers: readonly UserCheck[] = [hasAuthProvider]

const certificateIsAFile: UserCheck = ({ clientCertificate }) =>
  clientCertificate === undefined
    ? undefined
    : violation('client-certificate', 'this kubeconfig may name no files; use client-certificate-data')

const keyIsAFile: UserCheck = ({ clientKey }) =>
  clientKey === undefined
    ? undefined
    : violation('client-key', 'this kubeconfig may name no files; use client-key-data')

const tokenIsAFile: UserCheck = ({ tokenFile }) =>
  tokenFile === undefined ? undefined : violation('tokenFile', 'this kubeconfig may name no files; use token')

const runsAProgram: UserCheck = ({ exec }) =>
  exec &&
  violation(
    'exec',
    'this kubeconfig may name no programs; use a token, such as one of a service account, or a client certificate',
  )

const asksAProvider: UserCheck = ({ authProvider }) =>
  authProvider && violation('auth-provider', 'is not supported; use a token or a client certificate')

export const outsideOfUsers: readonly UserCheck[] = [
  runsAProgram,
  asksAProvider,
  certificateIsAFile,
  keyIsAFile,
  tokenIsAFile,
]

export const hasCertificate = (user: KubeconfigUser): boolean =>
  (user.clientCertificate ?? user.clientCertificateData) !== undefined

const hasKey = (user: KubeconfigUser): boolean => (user.clientKey ?? user.clientKeyData) !== undefined

export const hasToken = (user: KubeconfigUser): boolean => (user.token ?? user.tokenFile) !== undefined

export const hasPassword = (user: KubeconfigUser): boolean => (user.username ?? user.password) !== undefined
