import { isAlreadyExists, isNotFound } from '../kube/failures.ts'
import { secrets } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'

/** Sets these keys, removes those that are null and leaves the rest; makes the Secret where there is none. */
export async function writeSecret(
  kube: Kube,
  namespace: string,
  name: string,
  texts: Record<string, string | null>,
  annotations: Record<string, string> = {},
  labels: Record<string, string> = {},
): Promise<void> {
  const collection = kube.of(secrets, namespace)
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text === null ? null : Buffer.from(text).toString('base64')]),
  )
  const patch = () => collection.patch(name, { type: 'merge', body: { metadata: { annotations, labels }, data } })
  try {
    await patch()
  } catch (error) {
    if (!isNotFound(error)) throw error
    const present = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
    const object = { metadata: { name, annotations, labels }, data: present as Record<string, string> }
    await collection.create(object).catch((refused: unknown) => {
      if (isAlreadyExists(refused)) return patch()
      throw refused
    })
  }
}

/** Undefined also for bytes that are no base64 of text. */
export const textOf = (data: Record<string, string>, key: string): string | undefined => {
  const value = data[key]
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString()
}
