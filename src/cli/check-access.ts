import { sleep } from '../core/clock.ts'
import type { Step } from '../core/step.ts'
import { connect } from '../kube/client/index.ts'
import { isForbidden } from '../kube/failures.ts'
import { secrets } from '../kube/kinds.ts'
import { loadConnection } from '../kube/kubeconfig/index.ts'
import { sessionIn } from './access-act.ts'
import { accessClient } from './access-client.ts'
import { sessionPath, sessionsPath } from './access-words.ts'
import type { CommandDeps } from './open-hub.ts'
import type { OpenGlass } from './own-access.ts'
import { kubeconfigOf } from './own-access.ts'
import { example } from './own-access-example.ts'
import type { PersonName } from './own-people.ts'

export interface AccessCheck {
  cluster: string
  /** Of that cluster. */
  clusterDir: string
  glass: OpenGlass
}

const lookAgainMs = 100

/** Somebody may not read a Secret, asks, is let, reads it, is done, and may not again. */
export async function* checkAccess(
  { cluster, clusterDir, glass }: AccessCheck,
  deps: CommandDeps,
): AsyncGenerator<Step> {
  const { clock, signal } = deps
  const path = kubeconfigOf(clusterDir, 'alice')
  const { connection } = await loadConnection({ path, env: {}, clock })
  await using kube = await connect(connection, deps)
  const looks = () =>
    kube
      .of(secrets, example.namespace)
      .get(example.secret, { signal })
      .then(
        () => 'allowed' as const,
        (error: unknown) => {
          if (isForbidden(error)) return 'refused' as const
          throw error
        },
      )
  const until = async (wanted: 'allowed' | 'refused') => {
    while ((await looks()) !== wanted) await sleep(clock, lookAgainMs, signal)
  }
  const as = async (person: PersonName) =>
    accessClient({ server: glass.url, ca: glass.ca, token: await glass.tokenOf(person), signal })

  yield { doing: 'breaking glass on a cluster' }
  await until('refused')
  yield { did: 'somebody may not read a Secret', detail: `${example.namespace}/${example.secret} on ${cluster}` }
  const asked = { cluster, group: example.group, reason: 'lanyard up --check', duration: 600 }
  const { metadata } = sessionIn(await (await as('alice')).post(sessionsPath, asked))
  await (await as('bob')).post(sessionPath(metadata.name, 'approve'), {})
  await until('allowed')
  yield { did: 'they may once somebody has approved it', detail: `as a member of ${example.group}` }
  await (await as('alice')).post(sessionPath(metadata.name, 'drop'))
  await until('refused')
  yield { did: 'they may not again when they are done', detail: 'the hub was asked each time' }
}
