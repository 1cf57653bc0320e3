import type { Chapter } from '../step.ts'
import { node } from './describe.ts'
import { pod } from './manifests.ts'

export const nodes: Chapter = {
  title: 'taint and cordon',
  files: {
    'node.yaml': node('tainted-$v'),
    'pod.yaml': pod('placed', { nodeName: 'tainted-$v', terminationGracePeriodSeconds: 0 }),
  },
  steps: [
    'create -f node.yaml',
    'create -f pod.yaml',
    'get pod placed -o wide',
    'get node tainted-$v',
    'get node tainted-$v -o wide',
    'get node tainted-$v -o yaml --show-managed-fields',
    'cordon tainted-$v',
    'cordon tainted-$v',
    'get node tainted-$v',
    'uncordon tainted-$v',
    'cordon none-$v',
    'taint node tainted-$v walk=yes:NoExecute',
    'taint node tainted-$v walk=yes:NoExecute',
    'taint node tainted-$v walk=no:NoExecute --overwrite',
    'taint node tainted-$v walk=no:Nothing',
    'taint node tainted-$v dedicated:NoSchedule- walk-',
    'taint node tainted-$v none-',
    'describe node tainted-$v',
    'label node tainted-$v node-role.kubernetes.io/control-plane=',
    'get node tainted-$v',
    'drain tainted-$v --dry-run=client --force',
    'delete pod placed --grace-period=0 --force',
    'delete node tainted-$v',
  ],
}
