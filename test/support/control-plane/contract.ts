import type { Secret } from '../../../src/core/secret.ts'
import type { Connection, Credentials } from '../../../src/kube/connection.ts'
import type { CertifiedKey } from '../../../src/pki/index.ts'
import type { AuditEvent } from './audit.ts'
import type { Flags } from './flags.ts'

/** A Kubernetes API that tests may do anything with. Which one it is, nothing but the test support may ask. */
export interface ControlPlane {
  /** https on 127.0.0.1. */
  readonly url: string
  /** Vouches for the server's certificate, which is for 127.0.0.1, localhost and kubernetes.default.svc. */
  readonly caPem: string
  /** In group system:masters. */
  readonly admin: CertifiedKey
  readonly adminKubeconfigPath: string
  /** As the admin, or with credentials of your own; `{}` is anonymous. */
  connection(credentials?: Credentials): Connection
  /** The same as YAML, with everything inlined. */
  kubeconfig(credentials?: KubeconfigUser): string
  /** A certificate that the API server accepts for this user and these groups. */
  issueClientCertificate(holder: ClientCertificateInput): Promise<CertifiedKey>
  /** What has been audited so far. Empty unless it was started with an `auditPolicy`. */
  auditEvents(): Promise<AuditEvent[]>
  /** A file that lets another process use this one: the value for `LANYARD_TEST_CONTROL_PLANE`. Holds the admin's key. */
  readonly descriptorPath: string
}

/** One that nobody else uses, so that it may be broken. */
export interface OwnControlPlane extends ControlPlane, AsyncDisposable {
  readonly dir: string
  /** All that it was started with. */
  readonly programs: readonly Program[]
  /** The one that serves the API. */
  readonly apiServer: Program
  /** Of the programs that run at present. */
  readonly pids: Readonly<Partial<Record<Program, number>>>
  /** Ends a program and waits until it has; it stays down until `start`. Default signal: SIGKILL. */
  kill(program: Program, signal?: NodeJS.Signals): Promise<void>
  /** Starts a program that is down, at its old address and with its old data, and waits until it is ready. */
  start(program: Program): Promise<void>
  /** Ends in an orderly way and starts again: one program, or all. */
  restart(program?: Program): Promise<void>
  /** Idempotent. Nothing is left: no process, no file. */
  stop(): Promise<void>
}

/** Of a real control plane, in the order they are started. */
export const kubePrograms = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const
/** The embedded one is a single program. */
export const embeddedProgram = 'lanyard-kube'
export type KubeProgram = (typeof kubePrograms)[number]
export type Program = KubeProgram | typeof embeddedProgram

export interface KubeconfigUser {
  certificate?: CertifiedKey
  token?: Secret
}

export interface ClientCertificateInput {
  /** The user. */
  commonName: string
  /** The groups. */
  organizations?: readonly string[]
  /** Default one day. */
  lifetimeMs?: number
}

/** What can be chosen at the start. Contents, not paths, wherever a file is meant. */
export interface ControlPlaneOptions {
  /** An AuthorizationConfiguration in place of the modes Node and RBAC. */
  authorizationConfig?: string
  /** An AuthenticationConfiguration. Excludes `oidc`. */
  authenticationConfig?: string
  oidc?: OidcOptions
  /** The kubeconfig of a TokenReview webhook. */
  tokenWebhookConfig?: string
  /** A kubeconfig whose users admission webhooks are shown, each by the name of its webhook. */
  webhookUsers?: string
  /** An audit Policy; see `auditEvents`. */
  auditPolicy?: string
  /** true: all that run by default, and those of bootstrap tokens. Names: only these. false: no controller manager. Default true. */
  controllers?: boolean | readonly string[]
  /** The embedded one has a process of its own, so that it can be killed, as real ones always have. Default false. */
  ownProcess?: boolean
  featureGates?: Readonly<Record<string, boolean>>
  /** Further flags, or other values for those given by default. Only a real control plane takes them. */
  flags?: Readonly<Partial<Record<KubeProgram, Flags>>>
}

export interface OidcOptions {
  issuerUrl: string
  clientId: string
  /** Default: the system's roots. */
  caPem?: string
  usernameClaim?: string
  usernamePrefix?: string
  groupsClaim?: string
  groupsPrefix?: string
}
