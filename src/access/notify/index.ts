/** Tells people and the audit what happened to a session, from its history: at least once, and noted in its status. */
import { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import { sendingPosts } from '../outgoing/post.ts'
import type { Channel } from './contract.ts'
import { failures } from './failures.ts'
import type { ChannelsFor, HeraldDeps } from './herald.ts'
import { heraldController } from './herald.ts'
import { httpChannel } from './http-channel.ts'
import { mailChannel } from './mail-channel.ts'
import { mailHealthController } from './mail-health.ts'
import { providerFor } from './mail-providers.ts'
import { mailSendings } from './mail-sendings.ts'
import { mailServer } from './mail-server.ts'
import { isAlarm } from './transitions.ts'
import { Turns } from './turns.ts'

export type { HeraldDeps } from './herald.ts'

/** Mails by one provider at a time. */
const mailsAtATime = 5

export function heralds(deps: HeraldDeps): { readonly run: Run } {
  const providers = informer(deps.kube.of(MailProvider.resource), {
    ...deps,
    log: deps.log.child({ kind: 'MailProvider' }),
    transform: withoutManagedFields,
    indexes: { secret: ({ spec }) => secretOf(spec?.smtp.passwordRef) },
  })
  const server = mailServer(deps)
  const sendings = mailSendings(deps)
  // Their addresses are in the hub's own configuration.
  const post = sendingPosts({ clock: deps.clock })
  const turns = new Map<string, Turns>()
  const turnsOf = (provider: string): Turns => {
    const full = (most: number) => failures.NOTICE_QUEUE_FULL({ most, provider })
    const found = turns.get(provider) ?? new Turns(mailsAtATime, full)
    turns.set(provider, found)
    return found
  }

  const channelsFor: ChannelsFor = (notice, escalation, clusterName) => {
    const configs = deps.spokeView.configs.byIndex('name', clusterName)
    const cluster = configs.length === 1 ? configs[0] : undefined
    const isQuiet = escalation?.spec.disableNotifications === true && !isAlarm(notice.transition)
    const others = deps
      .settings()
      .notify.filter(({ kind }) => kind === 'webhook' || !isQuiet)
      .map((target) => httpChannel(target, { ...deps, post }))
    const provider = notice.recipients.length > 0 ? providerFor(escalation, cluster, providers.list()) : undefined
    const mail: Channel[] = provider
      ? [mailChannel(provider, { ...deps, server, turns: turnsOf(provider.metadata.name), onSent: sendings.note })]
      : []
    return [...mail, ...others]
  }

  const herald: Run = async (signal) => {
    // Without them nobody would get mail of what happens first.
    await Promise.all([
      providers.synced(signal),
      deps.view.escalations.synced(signal),
      deps.spokeView.configs.synced(signal),
    ])
    await heraldController(deps, channelsFor).run(signal)
  }
  const health = mailHealthController({ ...deps, providers, server })
  return { run: (signal) => runTogether(signal, [providers.run, herald, health.run, sendings.run]) }
}

const secretOf = (reference: { namespace: string; name: string } | undefined): string[] =>
  reference ? [`${reference.namespace}/${reference.name}`] : []
