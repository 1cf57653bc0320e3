import assert from 'node:assert/strict'
import { request } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestIssuer } from '../support/issuer.ts'

export interface HttpAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test is about
  body: any
}

export interface Replicas {
  /** Of each replica, up or not. */
  urls: readonly string[]
  caPem: string
}

/** One try. Throws where nobody answers. */
export const post = (url: string, ca: string, token: string, body: unknown): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text !== '' && { 'content-type': 'application/json' }),
      'content-length': Buffer.byteLength(text),
    }
    const sent = request(url, { method: 'POST', ca, headers, agent: false, timeout: 10_000 }, (response) => {
      Array.fromAsync<Buffer>(response)
        .then((chunks) => Buffer.concat(chunks).toString())
        .then((answer) =>
          resolve({ status: response.statusCode ?? 0, body: answer === '' ? undefined : JSON.parse(answer) }),
        )
        .catch(reject)
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer')))
    sent.on('error', reject)
    sent.end(text)
  })

const patienceMs = 90_000

export class SoakPerson {
  readonly email: string
  readonly #issuer: TestIssuer
  readonly #groups: readonly string[]
  readonly #replicas: Replicas
  #token: string | undefined

  constructor(
    email: string,
    groups: readonly string[],
    { issuer, replicas }: { issuer: TestIssuer; replicas: Replicas },
  ) {
    this.email = email
    this.#issuer = issuer
    this.#groups = groups
    this.#replicas = replicas
  }

  /** Again and again, at one replica after the other, until one gives an answer that will do: as a person would. */
  async surely(path: string, body: unknown, willDo: (answer: HttpAnswer) => boolean, first = 0): Promise<HttpAnswer> {
    const { urls, caPem } = this.#replicas
    const giveUpAt = performance.now() + patienceMs
    for (let attempt = first; ; attempt += 1) {
      const answer = await post(`${urls[attempt % urls.length]}${path}`, caPem, await this.#bearer(), body).catch(
        (error: Error) => ({ status: 0, body: error.message }),
      )
      if (willDo(answer)) return answer
      assert.ok(performance.now() < giveUpAt, `${this.email} ${path}: ${JSON.stringify(answer)}`)
      await delay(100)
    }
  }

  async #bearer(): Promise<string> {
    const claims = { email: this.email, email_verified: true, groups: this.#groups }
    this.#token ??= (
      await this.#issuer.accessToken({ subject: `id-of-${this.email}`, audience: 'lanyard-people', claims })
    ).reveal()
    return this.#token
  }
}
