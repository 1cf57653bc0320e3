import { test } from 'node:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startControlPlane } from '../support/control-plane.ts'
import { launchEmbedded } from '../support/control-plane/embedded.ts'
import { kubeClient } from '../support/kube-client.ts'
import { lanyard } from '../support/lanyard.ts'
import { tempDir } from '../support/temp-dir.ts'
import { agentProcess } from '../support/hub-process.ts'
import { startOcmHub } from '../support/ocm-peer.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { certificateSigningRequests, leases, clusterRoles } from '../../src/kube/kinds.ts'
import { installFleetKinds } from '../support/fleet-scene.ts'
import { applyManifests } from '../../src/cli/apply-manifests.ts'
import { bootstrapManifests } from '../../src/registration/manifests/bootstrap.ts'
import { decide, setAccepted } from '../support/agent-scene.ts'

test('x', async (t) => {
  const plane = await startControlPlane(t, {})
  const kube = kubeClient(t, plane.connection())
  const spoke = await launchEmbedded({})
  t.after(() => spoke.stop())
  const home = kubeClient(t, spoke.connection())
  await installFleetKinds(kube)
  const ocm = await startOcmHub(t, plane.adminKubeconfigPath)
  await applyManifests(kube, bootstrapManifests(), AbortSignal.timeout(10000))
  const dir = tempDir(t)
  const tok = JSON.parse((await lanyard(t, ['token', '--kubeconfig', plane.adminKubeconfigPath, '-o', 'json']).ended).out)
  writeFileSync(join(dir, 'token'), tok['hub-token'])
  writeFileSync(join(dir, 'ca'), plane.caPem)
  console.log(await lanyard(t, ['join', '--kubeconfig', spoke.adminKubeconfigPath, '--hub-token-file', join(dir, 'token'), '--hub-apiserver', plane.url, '--ca-file', join(dir, 'ca'), '--cluster-name', 'west']).ended)
  const t0 = performance.now()
  const agent = await agentProcess(t, spoke, home)
  const dump = async (w: string) => {
    console.log('=====', w, Math.round(performance.now() - t0))
    const c = await kube.of(ManagedCluster.resource).find('west')
    if (c) delete c.metadata.managedFields
    console.log(JSON.stringify(c, null, 1))
    for (const csr of (await kube.of(certificateSigningRequests).list()).items) console.log(csr.metadata.name, csr.spec.username, JSON.stringify(csr.status?.conditions))
  }
  try {
  await delay(4000)
  await dump('started')
  const csr = (await kube.of(certificateSigningRequests).list()).items[0]
  await decide(kube, csr!.metadata.name, 'Approved')
  await setAccepted(kube, 'west')
  await delay(4000)
  await dump('accepted')
  await kube.of(ManagedCluster.resource).patch('west', {type:'merge', body:{spec:{leaseDurationSeconds:1}}})
  for (let i=0;i<4;i++){ await delay(1000); console.log((await kube.of(leases,'west').get('managed-cluster-lease')).spec)}
  await setAccepted(kube, 'west', false)
  await delay(8000)
  await dump('denied')
  console.log(JSON.stringify((await kube.of(clusterRoles).get('open-cluster-management:managedcluster:west')).rules))
  await setAccepted(kube, 'west')
  await delay(4000)
  await dump('again')
  } finally {
  writeFileSync('/tmp/ocm/ocm-hub.log', ocm.output())
  agent.child.kill('SIGTERM'); const e = await agent.ended; console.log(e.out+e.err)
  }
})
