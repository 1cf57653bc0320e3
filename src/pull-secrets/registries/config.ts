import type { RegistryType } from './entry.ts'

/** An entry under `pullSecrets.registries` of lanyard.yaml. */
export interface RegistryConfig {
  id: string
  name?: string
  type: RegistryType
  /** The host, as under `auths`. */
  url: string
  orgName?: string
  teamName?: string
  /** On a Quay entry without source: cloud.openshift.com shows the same credential. */
  cloudAlias?: boolean
  /** Default true. */
  enabled?: boolean
  credentialSource?: string
  /** Default true. */
  required?: boolean
  apiBaseUrl?: string
  auth?: {
    /** A bearer token, read again when the file changes. */
    tokenFile?: string
    username?: string
    passwordFile?: string
    certFile?: string
    keyFile?: string
    caFile?: string
  }
  timeoutMs?: number
  rate?: { rps: number; burst: number }
  maxNameLength?: number
  partnerCode?: string
  project?: string
  durationDays?: number
  repositories?: string[]
  /** Nexus: what users may do, by the ids of its roles. */
  roles?: string[]
  /** Accepts long-lived keys of a cloud in this entry, and hands those of the environment on. Default false. */
  allowStaticKeys?: boolean
  /** Where a client logs in, to try a credential. Default: https://<url>/v2/auth. */
  loginUrl?: string
  generic?: {
    exec?: { command: string; args?: string[] }
    http?: { baseUrl: string }
    /** Handed to the program or server with every request: the name of its repository, a region. No keys. */
    settings?: Record<string, unknown>
    capabilities?: {
      rereadSecret?: boolean
      softDelete?: boolean
      disable?: boolean
      nativeExpiry?: boolean
      choosesSecret?: boolean
    }
  }
}
