import type { User } from '../authentication/user.ts'
import { system } from '../authentication/user.ts'
import { tooManyRequests } from '../status.ts'

/** As many as the real server takes at a time by default, reading and writing together. */
const mostRequests = 600

/** Of answers that clients have not read yet, over all connections. */
const mostUnreadBytes = 128 * 1024 * 1024

/**
 * What is under way at present. Connections, streams and bodies are bounded one by one; this bounds their sum, so that
 * no number of clients can fill the memory. Watches are not counted: they hold only what their own bound allows.
 */
export class Load {
  #requests = 0
  #unreadBytes = 0

  /** Throws 429 when there is too much, except for those who come to repair it. */
  admit({ groups }: User): void {
    if (groups.includes(system.masters)) return
    if (this.#requests > mostRequests || this.#unreadBytes > mostUnreadBytes)
      throw tooManyRequests('too many requests, please try again later', 1)
  }

  /** A request that is being answered, until it is disposed. */
  answering(): Disposable {
    this.#requests++
    return { [Symbol.dispose]: () => void this.#requests-- }
  }

  /** Bytes that are on their way, until `over` is called. */
  sending(bytes: number): { over(): void } {
    this.#unreadBytes += bytes
    return {
      over: () => {
        this.#unreadBytes -= bytes
      },
    }
  }
}
