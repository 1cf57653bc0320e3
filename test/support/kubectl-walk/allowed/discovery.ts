import type { Allowed, Difference } from '../compare.ts'
import type { KindNotServed } from './kinds-not-served.ts'
import { groupVersionsNotServed, kindsNotServed } from './kinds-not-served.ts'

const chapter = 'api-resources'
const why = 'these kinds are not served'
const allVerbs = 'create,delete,deletecollection,get,list,patch,update,watch'

type Show = (kind: KindNotServed) => string

const cells = (...all: (string | undefined)[]): string => all.filter(Boolean).join('  ')
const groupOf = ({ apiVersion }: KindNotServed): string =>
  apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : ''

const asRow: Show = ({ plural, short, apiVersion, namespaced = false, kind }) =>
  cells(plural, short, apiVersion, String(namespaced), kind)
const asWideRow: Show = (kind) => cells(asRow(kind), kind.verbs ?? allVerbs, kind.categories)
const asName: Show = (kind) => [kind.plural, groupOf(kind)].filter(Boolean).join('.')

const lacks = (step: string, show: Show, isListed: (kind: KindNotServed) => boolean = () => true): Allowed => ({
  chapter,
  step,
  why,
  lines: kindsNotServed.filter(isListed).map((kind): Difference => `- ${show(kind)}`),
})

export const discovery: readonly Allowed[] = [
  lacks('api-resources', asRow),
  lacks('api-resources -o wide', asWideRow),
  lacks('api-resources -o name', asName),
  lacks('api-resources --namespaced=true', asRow, ({ namespaced }) => namespaced === true),
  lacks('api-resources --namespaced=false', asRow, ({ namespaced }) => namespaced !== true),
  lacks('api-resources --api-group=apps', asRow, (kind) => groupOf(kind) === 'apps'),
  lacks('api-resources --verbs=deletecollection,watch', asRow, ({ verbs }) => verbs === undefined),
  lacks('api-resources --categories=all', asRow, ({ categories }) => categories === 'all'),
  { chapter, step: 'api-versions', why, lines: groupVersionsNotServed.map((name): Difference => `- ${name}`) },
  {
    chapter,
    step: 'version -o yaml',
    why: 'this one is not compiled by Go',
    lines: ['-   compiler: gc', '+   compiler: node', '-   goVersion: <Go>', '+   goVersion: <Node>'],
  },
  {
    chapter,
    step: 'get --raw /version',
    why: 'this one is not compiled by Go',
    lines: [
      '-   "goVersion": "<Go>",',
      '-   "compiler": "gc",',
      '+   "goVersion": "<Node>",',
      '+   "compiler": "node",',
    ],
  },
]
