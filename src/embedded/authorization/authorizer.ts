import { readFile } from 'node:fs/promises'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted, isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import type { User } from '../authentication/user.ts'
import { system } from '../authentication/user.ts'
import type { Store } from '../storage/store.ts'
import type { Authorizer, Decision } from './attributes.ts'
import type { AuthorizerSettings } from './authorization-config.ts'
import { parseAuthorizationConfig } from './authorization-config.ts'
import type { Link } from './chain.ts'
import { decideInTurn } from './chain.ts'
import { failures } from './failures.ts'
import type { ResolvedRules } from './rbac.ts'
import { decideByRbac, rulesFor } from './rbac.ts'
import { RbacIndex } from './rbac-index.ts'
import { WebhookAuthorizer } from './webhook-authorizer.ts'
import { openReviewClient } from './webhook-client.ts'

export interface AuthorizerDeps {
  store: Pick<Store, 'list' | 'subscribe'>
  clock: Clock
  random: Random
  log: Log
  /** The path of an AuthorizationConfiguration. Default: RBAC alone. */
  config?: string | undefined
}

export interface ControlPlaneAuthorizer extends Authorizer {
  readonly index: RbacIndex
  /** All that a user may do in a namespace, as far as the authorizers can tell. */
  rulesFor(user: User, namespace: string): ResolvedRules & { readonly incomplete: boolean }
  /** Follows changes of the configuration file; one that cannot be used changes nothing. Closes all when it ends. */
  readonly run: Run
}

/** How often the configuration file is looked at. */
const lookEveryMs = 5_000

const mastersMay: Decision = { verdict: 'allow', reason: '' }

/**
 * Members of system:masters may do everything, whatever is configured: they are how a control plane is repaired. All
 * others are put to the authorizers in turn. Throws a failure of this folder when the configuration cannot be used.
 */
export async function createAuthorizer(deps: AuthorizerDeps): Promise<ControlPlaneAuthorizer> {
  const { config: configFile, store } = deps
  let text = configFile === undefined ? undefined : await readConfig(configFile)
  const settings: AuthorizerSettings[] =
    configFile === undefined || text === undefined ? [{ type: 'RBAC' }] : parseAuthorizationConfig(text, configFile)
  const index = new RbacIndex(store)
  let links = await linksOf(settings, index, deps)

  async function lookAgain(file: string): Promise<void> {
    try {
      const latest = await readConfig(file)
      if (latest === text) return
      text = latest
      const previous = links
      links = await linksOf(parseAuthorizationConfig(latest, file), index, deps)
      deps.log.info({ file }, 'authorization configuration reloaded')
      await closeAll(previous)
    } catch (error) {
      deps.log.error({ err: error, file }, 'authorization configuration not reloaded, the previous one stays in force')
    }
  }

  return {
    index,
    async authorize(attributes, signal) {
      return attributes.user.groups.includes(system.masters)
        ? mastersMay
        : await decideInTurn(links, attributes, signal)
    },
    rulesFor(user, namespace) {
      const { rules, errors } = rulesFor(index, user, namespace)
      const incomplete = links.some(({ knowsItsRules }) => !knowsItsRules)
      return { rules, errors: incomplete ? [webhookRules, ...errors] : errors, incomplete }
    },
    async run(signal) {
      try {
        if (configFile === undefined) await aborted(signal)
        else while (!signal.aborted) await sleep(deps.clock, lookEveryMs, signal).then(() => lookAgain(configFile))
      } catch (error) {
        if (!isAbort(error, signal)) throw error
      } finally {
        index[Symbol.dispose]()
        await closeAll(links)
      }
    },
  }
}

const webhookRules = 'webhook authorizer does not support user rule resolution'

async function readConfig(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw failures.AUTHORIZATION_CONFIG_UNREADABLE({ file, detail: (error as Error).message }, error)
  }
}

/** All or none: what was opened for a chain that cannot be completed is closed again. */
async function linksOf(
  settings: readonly AuthorizerSettings[],
  index: RbacIndex,
  deps: AuthorizerDeps,
): Promise<readonly Link[]> {
  const links: Link[] = []
  try {
    for (const one of settings) {
      if (one.type === 'RBAC') links.push(rbacLink(index))
      if (one.type === 'Webhook') links.push(await webhookLink(one.webhook, deps))
    }
    return links
  } catch (error) {
    await closeAll(links)
    throw error
  }
}

const rbacLink = (index: RbacIndex): Link => ({
  decide: (attributes) => decideByRbac(index, attributes),
  knowsItsRules: true,
  close: () => Promise.resolve(),
})

async function webhookLink(
  settings: Extract<AuthorizerSettings, { type: 'Webhook' }>['webhook'],
  deps: AuthorizerDeps,
): Promise<Link> {
  const client = await openReviewClient(settings, deps)
  const authorizer = new WebhookAuthorizer(settings, { ...deps, client })
  return {
    decide: (attributes) => authorizer.authorize(attributes),
    knowsItsRules: false,
    close: () => client.close(),
  }
}

const closeAll = async (links: readonly Link[]): Promise<void> => {
  await Promise.all(links.map((link) => link.close()))
}
