import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { configDataErrors, immutableDataErrors } from './config-data.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import { checkStandardFinalizers } from './metadata.ts'

/** How the API server names the object as a whole. */
const wholeObject = '[]'

export const configMaps: Definition = {
  rules: {
    updateChecks: ['update', 'checkUpdate', 'whole', 'check'],
    check: (object) => {
      const { metadata, data, binaryData } = as<ConfigMap>(object)
      return [
        ...checkStandardFinalizers(metadata.finalizers),
        ...configDataErrors(
          { plain: { field: 'data', values: data }, binary: { field: 'binaryData', values: binaryData } },
          wholeObject,
        ),
      ]
    },
    checkUpdate: (object, old) => immutableDataErrors(object, old, ['data', 'binaryData']),
  },
  cells: {
    Data: (object) => {
      const { data = {}, binaryData = {} } = as<ConfigMap>(object)
      return Object.keys(data).length + Object.keys(binaryData).length
    },
  },
}
