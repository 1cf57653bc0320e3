import type { Chapter } from '../step.ts'
import { configMap, deployment, documents, pod, widget, widgets } from './manifests.ts'

const tidy = (name: string) => configMap(name, {}, { labels: { tidy: 'yes' } })

export const remove: Chapter = {
  title: 'delete',
  files: {
    'maps.yaml': documents(...['a', 'b', 'c', 'd', 'e', 'f'].map(tidy)),
    'kept.yaml': configMap('kept', {}, { finalizers: ['example.com/keep'] }),
    'web.yaml': deployment('web'),
    'pod.yaml': pod('web'),
    'widgets.yaml': widgets('delete'),
    'widget.yaml': widget('delete', 'w', { size: 5 }),
  },
  steps: [
    'create -f maps.yaml -f kept.yaml -f web.yaml -f pod.yaml',
    'delete configmap a --dry-run=client',
    'delete configmap a --dry-run=server',
    'delete configmap a',
    'delete configmap a',
    'delete configmap a --ignore-not-found',
    'delete configmap/b secret/none',
    'delete configmap c --now',
    'delete configmap d --force',
    'delete configmap e -o name',
    'delete configmap -l tidy=yes',
    'delete configmap -l tidy=yes',
    'delete configmap none --wait=false --cascade=nothing',
    'delete configmap kept --timeout=1s',
    'delete configmap kept --wait=false',
    "get configmap kept -o jsonpath='{.metadata.finalizers} {.metadata.deletionGracePeriodSeconds}'",
    `patch configmap kept --type=merge -p '{"metadata":{"finalizers":["example.com/more"]}}'`,
    `patch configmap kept --type=merge -p '{"metadata":{"finalizers":null}}'`,
    'get configmap kept',
    'delete pod web --grace-period=1',
    'delete deployment web --wait=false --grace-period=0',
    'delete deployment none',
    'create -f widgets.yaml',
    { settle: 'wait --for=condition=Established crd/widgets.delete$v.example.com' },
    'create -f widget.yaml',
    'delete widgets.delete$v.example.com --all',
    'create -f widget.yaml',
    'delete -f widgets.yaml',
    'get widgets.delete$v.example.com',
    'delete secrets,configmaps,serviceaccounts --all',
    'delete all --all',
    'create namespace gone-$v',
    { settle: 'wait --for=create serviceaccount/default --namespace=gone-$v' },
    'create configmap held --namespace=gone-$v',
    'delete namespace gone-$v',
    'get configmap held --namespace=gone-$v',
    'create configmap late --namespace=gone-$v',
    'delete namespace default kube-system',
    'delete --raw /api/v1/namespaces/delete-$v/configmaps/none',
    'delete nothings --all',
  ],
}

const ownedBy = (owner: string, name: string, blocks: boolean) => {
  const uid = `$(get configmap ${owner} -o jsonpath={.metadata.uid})`
  const reference = `{"apiVersion":"v1","kind":"ConfigMap","name":"${owner}","uid":"${uid}","blockOwnerDeletion":${blocks}}`
  return [
    `create configmap ${name}`,
    `patch configmap ${name} --type=merge -p '{"metadata":{"ownerReferences":[${reference}]}}'`,
  ]
}

export const cascade: Chapter = {
  title: 'delete, with what is owned',
  steps: [
    ...['back', 'fore', 'orphan', 'held'].map((owner) => `create configmap ${owner}`),
    ...ownedBy('back', 'back-child', false),
    ...ownedBy('fore', 'fore-child', true),
    ...ownedBy('orphan', 'orphan-child', false),
    ...ownedBy('held', 'held-child', true),
    'get configmaps back-child fore-child -o yaml',
    'delete configmap back --cascade=background',
    { settle: 'wait --for=delete configmap/back-child' },
    'get configmap back-child',
    'delete configmap fore --cascade=foreground',
    'get configmap fore fore-child',
    'delete configmap orphan --cascade=orphan',
    'get configmap orphan',
    'get configmap orphan-child -o yaml',
    `patch configmap held-child --type=merge -p '{"metadata":{"finalizers":["example.com/keep"]}}'`,
    'delete configmap held --cascade=foreground --wait=false',
    { settle: "wait --for=jsonpath='{.metadata.deletionTimestamp}' configmap/held-child" },
    'get configmap held held-child -o yaml',
    `patch configmap held-child --type=merge -p '{"metadata":{"finalizers":null}}'`,
    { settle: 'wait --for=delete configmap/held' },
    'get configmap held held-child',
  ],
}
