import type { Setting } from '../../../src/core/config.ts'
import { settingsOf } from '../../../src/core/config.ts'
import type { Declarations } from '../discover.ts'
import { defaultWords, describe, typeWords } from './schema-words.ts'
import { code, table } from './table.ts'

export function configurationPage(configs: Declarations['configs']): string {
  const settings = configs.flatMap(({ declared }) => settingsOf(declared))
  const sections = Map.groupBy(settings, ({ path }) => path.split('.')[0] ?? '')
  return [
    '# Configuration\n',
    'One file, `lanyard.yaml`. A flag wins over a variable, a variable over the file, the file over the default. ' +
      'An empty variable counts as not set; a list is parted by commas, a map is JSON. ' +
      'A setting that ends in `File` and holds a secret names a file with nothing but the secret in it.\n',
    ...[...sections].map(([name, inSection]) => `## ${name}\n\n${table(head, inSection.map(row))}`),
  ].join('\n')
}

const head = ['Setting', 'Flag', 'Variable', 'Type', 'Default', 'Description']

const row = (setting: Setting): string[] => [
  code(setting.path),
  code(setting.flag),
  code(setting.env),
  setting.secret ? 'path of a file' : typeWords(setting.schema),
  setting.required ? 'required' : defaultWords(setting.schema),
  [describe(setting.schema), setting.reloads ? 'Takes effect without a restart.' : ''].join(' ').trim(),
]
