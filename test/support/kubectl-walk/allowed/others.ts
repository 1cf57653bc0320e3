import type { Allowed } from '../compare.ts'

const clusterInfo = 'kubeadm:bootstrap-signer-clusterinfo'

/** A quoted object, by what its metadata and the owners of its fields look like in either order. */
const refusedPatch = (metadata: string): string =>
  `! The request is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",\\"data\\":{\\"a\\":\\"1\\",\\"b\\":5,\\"c\\":\\"3\\"},\\"kind\\":\\"ConfigMap\\",\\"metadata\\":${metadata.replaceAll('"', '\\"')}}": json: cannot unmarshal number into Go struct field ConfigMap.data of type string`

const patchRow = (version: string): Allowed => ({
  chapter: 'patch',
  step: `patch configmap one --type=merge -p '{"data":{"b":5}}'`,
  version,
  why: 'the members of an object that a message quotes are in the order of their names, not of a Go struct',
  lines: [
    `- ${refusedPatch(
      `{"name":"one","namespace":"patch-${version}","uid":"<uid 1>","resourceVersion":<version>,"creationTimestamp":"<time>","managedFields":[{"manager":"kubectl-create","operation":"Update","apiVersion":"v1","time":"<time>","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:a":{}}}},{"manager":"kubectl-patch","operation":"Update","apiVersion":"v1","time":"<time>","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:c":{}}}}]}`,
    )}`,
    `+ ${refusedPatch(
      `{"creationTimestamp":"<time>","managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:a":{}}},"manager":"kubectl-create","operation":"Update","time":"<time>"},{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:c":{}}},"manager":"kubectl-patch","operation":"Update","time":"<time>"}],"name":"one","namespace":"patch-${version}","resourceVersion":<version>,"uid":"<uid 1>"}`,
    )}`,
  ],
})

export const others: readonly Allowed[] = [
  {
    chapter: 'describe',
    step: 'describe namespace describe-$v',
    why: 'ResourceQuota and LimitRange are not served',
    lines: ['- ', '- No resource quota.', '- ', '- No LimitRange resource.'],
  },
  {
    chapter: 'get',
    step: 'get roles,rolebindings --namespace=kube-public -o wide',
    why: 'who may read cluster-info is set up from the start, as kubeadm does it',
    lines: [
      `+ role.rbac.authorization.k8s.io/${clusterInfo}  <time>`,
      `+ rolebinding.rbac.authorization.k8s.io/${clusterInfo}  Role/${clusterInfo}  <age>  system:anonymous`,
    ],
  },
  patchRow('136'),
  patchRow('135'),
]
