import type { Dice } from '../dice.ts'
import type { KindUnderTest } from './kind.ts'

const texts = ['', 'a', 'b', 'two\nlines', 'ü', '1']
const base64s = ['', 'YQ==', 'Yg==', '/w==']
const keys = ['a', 'b', 'c.txt', 'a/b', '..', 'UPPER_1']

const texted = (dice: Dice, from: readonly string[]): Record<string, string> =>
  Object.fromEntries(dice.some(dice.chance(0.9) ? keys.slice(0, 3) : keys).map((key) => [key, dice.pick(from)]))

const immutable = (dice: Dice) => (dice.chance(0.08) ? { immutable: dice.chance(0.7) } : {})

export const configMaps: KindUnderTest = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
  weight: 2,
  pointers: ['/data', '/data/a', '/data/b', '/binaryData', '/immutable'],
  body: (dice) => ({
    ...(dice.chance(0.9) && { data: texted(dice, texts) }),
    ...(dice.chance(0.2) && { binaryData: texted(dice, base64s) }),
    ...immutable(dice),
  }),
}

export const secretTypes = [
  'Opaque',
  'kubernetes.io/basic-auth',
  'kubernetes.io/ssh-auth',
  'kubernetes.io/dockercfg',
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/tls',
  'bootstrap.kubernetes.io/token',
  'example.com/own',
]

const secretData: readonly Record<string, string>[] = [
  { username: 'YQ==', password: 'Yg==' },
  { 'ssh-privatekey': 'YQ==' },
  { '.dockercfg': 'e30=' },
  { '.dockerconfigjson': 'e30=' },
  { '.dockerconfigjson': 'bm8=' },
  { 'tls.crt': 'YQ==', 'tls.key': 'Yg==' },
]

export const secrets: KindUnderTest = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
  pointers: ['/data', '/data/a', '/stringData', '/type', '/immutable'],
  fieldSelectors: ['type=Opaque', 'type!=Opaque'],
  body: (dice) => ({
    ...(dice.chance(0.5) && { type: dice.pick(secretTypes) }),
    ...(dice.chance(0.8) && { data: dice.chance(0.5) ? dice.pick(secretData) : texted(dice, base64s) }),
    ...(dice.chance(0.3) && { stringData: texted(dice, texts) }),
    ...immutable(dice),
  }),
}
