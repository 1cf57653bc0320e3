import { failures } from '../../failures.ts'
import { derivedName, isDerivedName } from '../derived-name.ts'
import { field } from '../http/index.ts'
import type { Account, Capabilities, RegistryDriver } from '../registry.ts'
import type { Ask, Transport } from './protocol.ts'
import { accountOf, foundOf } from './protocol.ts'

export interface GenericOptions {
  id: string
  capabilities: Capabilities
  longestName: number
}

type Target = { name: string; ref?: string }

/** A registry that somebody else's program or server knows how to talk to. The saga is the same as for the built-in ones. */
export function genericDriver(options: GenericOptions, ask: Transport): RegistryDriver {
  const { id: registry, capabilities, longestName } = options
  const uncertain = (detail: string) => failures.REGISTRY_UNCERTAIN({ registry, detail })
  const made = (account: Account | undefined): Account => {
    if (account) return account
    throw uncertain('its driver told no account that can be used')
  }
  /** Undefined where the driver says so (`{"found": false}`). */
  async function brought(action: 'recover' | 'enable', target: Target, signal: AbortSignal) {
    const json = await ask(action, target, signal)
    return field(json, 'found') === false ? undefined : made(accountOf(json))
  }
  const { softDelete, disable, choosesSecret } = capabilities

  return {
    id: registry,
    capabilities,
    nameFor: (request) => derivedName(request, { registry, longest: longestName }),
    isSafeName: isDerivedName,
    async create({ name, secret, cluster }, signal) {
      const asked: Ask = { name, ...(secret && { secret }), ...(cluster && { cluster }) }
      return made(accountOf(await ask('create', asked, signal), secret))
    },
    find: async (name, signal) => foundOf(await ask('find', { name }, signal), name),
    async remove(target, signal) {
      await ask('remove', target, signal)
    },
    async validate({ username, token }, signal) {
      return field(await ask('validate', { username, token }, signal), 'valid') === true
    },
    async check(signal) {
      await ask('check', {}, signal)
    },
    ...(choosesSecret && {
      async finish({ name, ref }, signal, secret) {
        const asked: Ask = { name, ...(ref !== undefined && { ref }), ...(secret && { secret }) }
        return made(accountOf(await ask('finish', asked, signal), secret))
      },
    }),
    ...(softDelete && { recover: (name: string, signal: AbortSignal) => brought('recover', { name }, signal) }),
    ...(disable && {
      async disable(target: Target, signal: AbortSignal) {
        await ask('disable', target, signal)
      },
      enable: (target: Target, signal: AbortSignal) => brought('enable', target, signal),
    }),
  } satisfies RegistryDriver
}
