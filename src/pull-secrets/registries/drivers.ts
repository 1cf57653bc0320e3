import type { RegistryConfig } from './config.ts'
import type { RegistryDeps } from './deps.ts'
import type { RegistryType } from './entry.ts'
import { genericOptions, genericTransport } from './generic/config.ts'
import { genericDriver } from './generic/driver.ts'
import { harborOptions } from './harbor/config.ts'
import { harborDriver } from './harbor/driver.ts'
import type { Line, LogIn, Priority, RegistryHttp } from './http/index.ts'
import { nexusOptions } from './nexus/config.ts'
import { nexusDriver } from './nexus/driver.ts'
import { quayDriver } from './quay/driver.ts'
import { redhatDriver } from './redhat/driver.ts'
import type { RegistryDriver } from './registry.ts'

/** An entry that was checked: it has a credential of its own and is switched on. */
export interface SourceConfig extends RegistryConfig {
  apiBaseUrl: string
  loginUrl: string
}

/** What a driver is made of. Each source gets one a priority; what they share of a registry is in `http`. */
export interface DriverDeps extends RegistryDeps {
  /** On `config.apiBaseUrl`. */
  http: RegistryHttp
  /** At `config.loginUrl`. */
  logIn: LogIn
  /** Below `http`, for a driver whose protocol is none. */
  line: Line
  priority: Priority
}

export type DriverFactory = (config: SourceConfig, deps: DriverDeps) => RegistryDriver

interface Kind {
  make: DriverFactory
  /** Of the API of a host, where the entry names none. */
  apiBaseUrl(config: RegistryConfig): string
  /** Default: https://<host>/v2/auth. */
  loginUrl?(host: string): string
  /** Of one call. Default 10 000. */
  timeoutMs?: number
  /** Fields that an entry with a credential of its own must have. */
  needs: readonly (keyof RegistryConfig)[]
}

export const drivers: Record<RegistryType, Kind> = {
  Quay: {
    make: ({ id, orgName: org = '', teamName: team = '', maxNameLength }, deps) =>
      quayDriver(
        { id, org, team, instanceId: deps.instanceId, ...(maxNameLength !== undefined && { maxNameLength }) },
        deps,
      ),
    apiBaseUrl: ({ url }) => `https://${url}/api/v1`,
    needs: ['orgName', 'teamName'],
  },
  Redhat: {
    make: ({ id, partnerCode = 'ocm-service', maxNameLength }, deps) =>
      redhatDriver(
        { id, partnerCode, instanceId: deps.instanceId, ...(maxNameLength !== undefined && { maxNameLength }) },
        deps,
      ),
    apiBaseUrl: () => 'https://container-registry-authorizer.api.redhat.com/v1',
    loginUrl: (host) => `https://${host}/auth/realms/rhcc/protocol/redhat-docker-v2/auth?service=docker-registry`,
    timeoutMs: 15_000,
    needs: [],
  },
  Harbor: {
    make: (config, deps) => harborDriver(harborOptions(config, deps.instanceId), deps),
    apiBaseUrl: ({ url }) => `https://${url}/api/v2.0`,
    loginUrl: (host) => `https://${host}/service/token?service=harbor-registry`,
    needs: [],
  },
  Nexus: {
    make: (config, deps) => nexusDriver(nexusOptions(config, deps.instanceId), deps),
    apiBaseUrl: ({ url }) => `https://${url}/service/rest/v1`,
    loginUrl: (host) => `https://${host}/v2/`,
    needs: ['roles'],
  },
  Generic: {
    make: (config, deps) => genericDriver(genericOptions(config), genericTransport(config, deps)),
    timeoutMs: 30_000,
    apiBaseUrl: ({ url, generic }) => generic?.http?.baseUrl ?? `https://${url}`,
    needs: ['generic'],
  },
}
