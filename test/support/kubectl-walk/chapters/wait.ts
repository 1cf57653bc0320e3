import type { Chapter } from '../step.ts'
import { configMap, deployment, widget, widgets } from './manifests.ts'

export const wait: Chapter = {
  title: 'wait',
  files: {
    'widgets.yaml': widgets('wait'),
    'widget.yaml': widget('wait', 'w', { size: 5 }),
    'one.yaml': configMap('one', { a: '1' }),
    'web.yaml': deployment('web'),
  },
  steps: [
    'create -f widgets.yaml -f one.yaml -f web.yaml',
    'wait --for=condition=Established -f widgets.yaml',
    'wait --for=condition=NamesAccepted=false -f widgets.yaml --timeout=1s',
    'wait --for=create crd/widgets.wait$v.example.com',
    'create -f widget.yaml',
    "wait --for=jsonpath='{.spec.size}'=5 widgets.wait$v.example.com/w",
    "wait --for=jsonpath='{.spec.size}'=6 widgets.wait$v.example.com/w --timeout=1s",
    "wait --for=jsonpath='{.status.replicas}' widgets.wait$v.example.com/w --timeout=1s",
    'wait --for=condition=Available deployment/web --timeout=1s',
    'wait --for=condition=Available deployment/none --timeout=1s',
    'wait --for=condition=Available deployment --all --timeout=0',
    'wait --for=create configmap/none --timeout=1s',
    'wait --for=delete configmap/none',
    'wait --for=delete configmap/one --timeout=1s',
    'wait --for=nothing configmap/one',
    'delete configmap one --wait=false',
    'wait --for=delete configmap/one',
    `patch widgets.wait$v.example.com w --type=merge --subresource=status -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'`,
    'wait --for=condition=Ready widgets.wait$v.example.com -l none=such',
    'wait --for=condition=Ready widgets.wait$v.example.com --all -o name',
  ],
}
