import { isAbsolute } from 'node:path'
import { failures } from '../../../core/failures.ts'
import type { Environment } from '../../ambient-identity.ts'
import { ambientEnvironment, refuseStaticKeys } from '../../ambient-identity.ts'
import type { RegistryConfig } from '../config.ts'
import type { Line, Priority, RegistryHttp } from '../http/index.ts'
import type { GenericOptions } from './driver.ts'
import { execTransport } from './exec.ts'
import { httpTransport } from './http.ts'
import type { Transport } from './protocol.ts'

const longestDefault = 63

export function genericOptions(config: RegistryConfig): GenericOptions {
  const { id, generic = {}, maxNameLength = longestDefault } = config
  const none = {
    rereadSecret: false,
    softDelete: false,
    disable: false,
    nativeExpiry: false,
    choosesSecret: false,
  }
  const wrong = (field: string, problem: string) =>
    failures.CONFIG_WRONG_VALUE({
      field: `pullSecrets.registries.${id}.generic${field}`,
      origin: 'configuration',
      problem,
    })
  if ((generic.exec === undefined) === (generic.http === undefined))
    throw wrong('', 'must have exec or http, one of them')
  if (generic.exec && !isAbsolute(generic.exec.command)) throw wrong('.exec.command', 'must be an absolute path')
  refuseStaticKeys(`registry ${id}`, config)
  return { id, capabilities: { ...none, ...generic.capabilities }, longestName: maxNameLength }
}

export interface GenericDeps {
  http: RegistryHttp
  line: Line
  priority: Priority
  instanceId: string
  environment?: Environment
}

export function genericTransport(config: RegistryConfig, deps: GenericDeps): Transport {
  const { exec, settings = {} } = config.generic ?? {}
  const { instanceId, environment = {}, line, priority } = deps
  if (!exec) return httpTransport({ settings, instanceId }, deps.http)
  const env = ambientEnvironment(environment, { allowStaticKeys: config.allowStaticKeys === true })
  return execTransport({ ...exec, args: exec.args ?? [], env, settings, instanceId }, line, priority)
}
