import type { ConditionReport } from '../../../core/conditions.ts'
import { isFailure } from '../../../core/failure.ts'
import { isAbort } from '../../../core/lifecycle.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done } from '../../../core/outcome.ts'
import { accountUser, addonAccounts } from '../../../fleet/names.ts'
import { ensure } from '../../../fleet/wanted/ensure.ts'
import { failures as wantedFailures } from '../../../fleet/wanted/failures.ts'
import type { Named } from '../../../fleet/wanted/named.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import { isConflict } from '../../../kube/failures.ts'
import type { Informer } from '../../../kube/informer.ts'
import { roleBindings, roles, serviceAccounts } from '../../../kube/kinds.ts'
import type { Key, KubeObject, Resource, Stored } from '../../../kube/objects.ts'
import { splitKey } from '../../../kube/objects.ts'
import type { AddonHubDeps } from '../../hub/deps.ts'
import { failures } from './failures.ts'
import type { TokenObjects } from './hub-objects.ts'
import { isMadeFor, tokenObjects } from './hub-objects.ts'
import type { TokenPlan } from './hub-plan.ts'
import { notReady, ready, report } from './hub-report.ts'
import { planFor, watchesOf } from './hub-view.ts'
import { tokenBinding } from './names.ts'

/** Add-ons at a time: most of an account's making is waiting for the API server. */
const workers = 16

const made = {
  ServiceAccount: 'addon-token.account-made',
  Role: 'addon-token.role-made',
  RoleBinding: 'addon-token.binding-made',
} as const

/** Makes the account of each add-on that comes by token, with the right to ask for its tokens, and takes both away again. */
export function tokenInfrastructure(deps: AddonHubDeps): Controller {
  const { kube, view, settings } = deps
  const placed = new Map<Key, readonly string[]>()
  const failing = new Set<Key>()

  async function reconcile(key: Key, signal: AbortSignal): Promise<Outcome> {
    const plan = planFor(deps, key)
    const addon = plan.is === 'gone' ? undefined : view.addons.get(key)
    try {
      const condition =
        plan.is === 'wanted' ? await provide(key, plan.account, signal) : await withdraw(key, plan, signal)
      if (addon) await report(deps, addon, condition, signal)
    } catch (error) {
      if (addon && !signal.aborted && !isAbort(error, signal) && !isConflict(error)) {
        failing.add(key)
        await report(deps, addon, notReady(`${messageOf(error)}; the hub tries again`), signal).catch((err: unknown) =>
          deps.log.debug({ err, key }, 'failure could not be reported'),
        )
      }
      throw error
    }
    return done
  }

  async function provide(key: Key, account: string, signal: AbortSignal): Promise<ConditionReport | undefined> {
    const { namespace: cluster = '', name } = splitKey(key)
    const uids = await place(key, tokenObjects(cluster, name, account, settings.labels), signal)
    await removeAccounts(cluster, name, account, signal)
    placed.set(key, uids)
    failing.delete(key)
    const [uid] = uids
    return ready({ namespace: cluster, account, uid })
  }

  async function withdraw(key: Key, plan: TokenPlan, signal: AbortSignal): Promise<ConditionReport | undefined> {
    const { namespace: cluster = '', name } = splitKey(key)
    if (placed.has(key) || isAnyLeft(cluster, name)) {
      await removeRights(cluster, name, signal)
      await removeAccounts(cluster, name, undefined, signal)
    }
    placed.delete(key)
    if (plan.is === 'refused') failing.add(key)
    else failing.delete(key)
    return plan.is === 'refused' ? notReady(refusal(cluster, name, plan.user)) : undefined
  }

  /**
   * The UIDs, that of the account first. One after the other: a right to the tokens of an account that turns out to be
   * somebody else's would give that one away, and Kubernetes lets only its admins bind to a role that is not there yet.
   */
  async function place(key: Key, wanted: TokenObjects, signal: AbortSignal): Promise<[string, ...string[]]> {
    const { namespace: cluster = '', name: addon } = splitKey(key)
    const withoutFormer = async (error: unknown): Promise<never> => {
      if (isFailure(error, 'ADDON_ACCOUNT_TAKEN'))
        await removeAccounts(cluster, addon, wanted.account.metadata.name, signal)
      throw error
    }
    const withoutRights = async (error: unknown): Promise<never> => {
      if (isFailure(error, 'ADDON_ACCOUNT_TAKEN')) await removeRights(cluster, addon, signal)
      return withoutFormer(error)
    }
    const account = await own(serviceAccounts, view.accounts, key, wanted.account, signal).catch(withoutRights)
    const role = await own(roles, view.roles, key, wanted.role, signal).catch(withoutRights)
    const binding = await own(roleBindings, view.roleBindings, key, wanted.roleBinding, signal).catch(withoutFormer)
    return [account, role, binding].map(({ metadata }) => metadata.uid) as [string, ...string[]]
  }

  /** What somebody else made under the name is left alone: its rights may be those of another. */
  async function own<T extends KubeObject>(
    resource: Resource<T>,
    informer: Informer<T>,
    key: Key,
    wanted: Named<T>,
    signal: AbortSignal,
  ): Promise<Stored<T>> {
    const { namespace: cluster = '', name: addon } = splitKey(key)
    const { name } = wanted.metadata
    const mayTake = (found: Stored<T>) => {
      // Ours from before its labels were taken off.
      if (isMadeFor(found, addon) || placed.get(key)?.includes(found.metadata.uid)) return
      throw failures.ADDON_ACCOUNT_TAKEN({ kind: resource.kind, name: `${cluster}/${name}`, addon })
    }
    const seen = informer.get(`${cluster}/${name}`)
    if (seen) mayTake(seen)
    const stored = await ensure(kube.of(resource, cluster), wanted, seen, signal, mayTake)
    if (!seen) deps.checkpoint(made[resource.kind as keyof typeof made])
    return stored
  }

  /**
   * After the rights, or once those are to another account: a right that outlived its account would give away the tokens
   * of whoever takes that name next.
   */
  async function removeAccounts(
    cluster: string,
    addon: string,
    except: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const accounts = addonAccounts(cluster, addon).filter((account) => account !== except)
    await Promise.all(accounts.map((account) => drop(serviceAccounts, view.accounts, cluster, addon, account, signal)))
  }

  /**
   * By what the server itself says: the view may be late, and somebody's finalizer keeps what is deleted in force. Of the
   * two either one alone allows nothing.
   */
  async function removeRights(cluster: string, addon: string, signal: AbortSignal): Promise<void> {
    const name = tokenBinding(addon)
    await Promise.all([
      drop(roleBindings, view.roleBindings, cluster, addon, name, signal),
      drop(roles, view.roles, cluster, addon, name, signal),
    ])
    const binding = await removeSeen(roleBindings, cluster, addon, name, signal)
    const role = binding && (await removeSeen(roles, cluster, addon, name, signal))
    if (role && (isMadeFor(binding, addon) || isMadeFor(role, addon)))
      throw wantedFailures.RIGHTS_BEING_DELETED({ kind: 'RoleBinding', name })
  }

  /** What is there under the name when what was made for the add-on has been told to go. */
  async function removeSeen<T extends KubeObject>(
    resource: Resource<T>,
    cluster: string,
    addon: string,
    name: string,
    signal: AbortSignal,
  ): Promise<Stored<T> | undefined> {
    const objects = kube.of(resource, cluster)
    const found = await objects.find(name, { signal })
    if (!found || !isMadeFor(found, addon)) return found
    const { uid, deletionTimestamp } = found.metadata
    if (!deletionTimestamp) await objects.delete(name, { signal, preconditions: { uid } })
    return await objects.find(name, { signal })
  }

  function isAnyLeft(cluster: string, addon: string): boolean {
    const rights = `${cluster}/${tokenBinding(addon)}`
    const accounts = addonAccounts(cluster, addon).map((account) => `${cluster}/${account}`)
    const known = [
      view.roles.get(rights),
      view.roleBindings.get(rights),
      ...accounts.map((one) => view.accounts.get(one)),
    ]
    return known.some((one) => one !== undefined)
  }

  async function drop<T extends KubeObject>(
    resource: Resource<T>,
    informer: Informer<T>,
    cluster: string,
    addon: string,
    name: string,
    signal: AbortSignal,
  ): Promise<void> {
    const found = informer.get(`${cluster}/${name}`)
    if (!found || found.metadata.deletionTimestamp || !isMadeFor(found, addon)) return
    await kube.of(resource, cluster).delete(name, { signal, preconditions: { uid: found.metadata.uid } })
    deps.checkpoint('addon-token.part-removed')
  }

  return controller('addon-token', (key, { signal }) => reconcile(key, signal), {
    ...deps,
    watches: watchesOf(deps, placed, failing),
    workers,
  })
}

function refusal(cluster: string, addon: string, user: string): string {
  const [ours, theirs] = addonAccounts(cluster, addon).map((account) => accountUser(cluster, account))
  return `the add-on is declared as ${user}; by token it can only be ${ours} or ${theirs}`
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
