import type { Allowed, Difference } from '../compare.ts'

const why = 'services are stored and not acted on: no address or port of the nodes is allotted'

const lacks = (chapter: string, step: string, lines: readonly Difference[]): Allowed => ({ chapter, step, why, lines })

/** A row of a table, in which the address and the port of the nodes are not there. */
const row = (name: string, type: string, ports: string, rest = '<age>'): Difference[] => [
  `- ${name}  ${type}  <cluster address>  <none>  ${ports}  ${rest}`,
  `+ ${name}  ${type}  <none>  <none>  ${ports.replace(':<node port>', '')}  ${rest}`,
]

const inYaml: readonly Difference[] = ['-   clusterIP: <cluster address>', '-   clusterIPs:', '-   - <cluster address>']

export const services: readonly Allowed[] = [
  lacks('describe', 'describe service web --show-events=false', [
    '- IP:  <cluster address>',
    '- IPs:  <cluster address>',
    '+ IP:',
    '+ IPs:  <none>',
  ]),
  lacks('create', 'get services', [
    ...row('np', 'NodePort', '80:<node port>/TCP'),
    ...row('out', 'NodePort', '80:<node port>/TCP'),
    ...row('svc', 'ClusterIP', '80/TCP'),
  ]),
  lacks('create', 'get service exposed -o yaml', inYaml),
  lacks('get', 'get all', row('service/web', 'ClusterIP', '80/TCP')),
  lacks('get', 'get all -o wide', row('service/web', 'ClusterIP', '80/TCP', '<age>  app=web')),
  lacks('get', 'get service web -o yaml', inYaml),
  lacks('kustomize', 'diff -k web', [
    '- @@ -0,0 +1,29 @@',
    '+ @@ -0,0 +1,26 @@',
    '- +  clusterIP: <cluster address>',
    '- +  clusterIPs:',
    '- +  - <cluster address>',
  ]),
  lacks('kustomize', 'get -k web', row('service/small-web', 'ClusterIP', '80/TCP')),
  {
    chapter: 'get',
    step: 'get services,endpoints --namespace=default',
    why: 'the service by which pods reach the API is not there: no pod runs',
    lines: [
      '- NAME  TYPE  CLUSTER-IP  EXTERNAL-IP  PORT(S)  AGE',
      '- service/kubernetes  ClusterIP  <cluster address>  <none>  443/TCP  <age>',
      '+ ! No resources found in default namespace.',
    ],
  },
]
