import type { Clock } from '../../core/clock.ts'
import type { Pass, Passes } from '../../core/pass.ts'
import { passBoard } from '../../core/pass-board.ts'
import type { Key } from '../../kube/objects.ts'

/** The passes of add-ons by the key of the Secret they are in. They outlast a change of hubs, as the Secrets do. */
export interface SecretPasses {
  put(secret: Key, pass: Pass): void
  remove(secret: Key): void
  readonly passes: Passes
}

export function secretPasses(clock: Clock): SecretPasses {
  const board = passBoard()
  const ids = new Map<Key, string>()
  const remove = (secret: Key) => {
    const id = ids.get(secret)
    if (id === undefined) return
    ids.delete(secret)
    board.remove(id, clock.now())
  }
  return {
    put(secret, pass) {
      if (ids.get(secret) !== pass.id) remove(secret)
      ids.set(secret, pass.id)
      board.put(pass)
    },
    remove,
    passes: board,
  }
}
