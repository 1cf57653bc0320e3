import { test } from 'node:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startControlPlane } from '../support/control-plane.ts'
import { launchEmbedded } from '../support/control-plane/embedded.ts'
import { kubeClient } from '../support/kube-client.ts'
import { lanyard } from '../support/lanyard.ts'
import { tempDir } from '../support/temp-dir.ts'
import { hubProcess, prepareHub } from '../support/hub-process.ts'
import { startOcmAgent } from '../support/ocm-peer.ts'
import { Secret } from '../../src/core/secret.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { namespaces, certificateSigningRequests, leases,clusterRoles } from '../../src/kube/kinds.ts'
import { installFleetKinds } from '../support/fleet-scene.ts'

test('x', async (t) => {
  const plane = await startControlPlane(t, {})
  const kube = kubeClient(t, plane.connection())
  const spoke = await launchEmbedded({})
  t.after(() => spoke.stop())
  const home = kubeClient(t, spoke.connection())
  await installFleetKinds(home)
  await home.of(namespaces).create({metadata:{name:'open-cluster-management-agent'}})
  const prepared = await prepareHub(t, plane)
  const hub = await hubProcess(t, plane, kube, prepared, '--disable-leader-election')
  hub.ended.then(e => console.log('hub', e))
  const dir = tempDir(t)
  const boot = join(dir, 'boot')
  writeFileSync(boot, plane.kubeconfig({ token: Secret.of(prepared.invited['hub-token']) }))
  const t0 = performance.now()
  const agent = await startOcmAgent(t, { kubeconfig: spoke.adminKubeconfigPath, namespace: 'open-cluster-management-agent', cluster: 'west', bootstrapKubeconfig: boot, hubKubeconfigDir: join(dir, 'hub') })
  const dump = async (w: string) => {
    console.log('=====', w, Math.round(performance.now() - t0))
    const c = await kube.of(ManagedCluster.resource).find('west')
    console.log(JSON.stringify(c, null, 1))
    for (const csr of (await kube.of(certificateSigningRequests).list()).items) console.log(csr.metadata.name, csr.spec.username, JSON.stringify(csr.status?.conditions))
  }
  try {
  await delay(4000)
  await dump('started')
  console.log(await lanyard(t, ['accept', 'west', '--kubeconfig', plane.adminKubeconfigPath, '--wait', '--timeout', '30']).ended)
  await dump('accepted')
  await kube.of(ManagedCluster.resource).patch('west', {type:'merge', body:{spec:{leaseDurationSeconds:1}}})
  for (let i=0;i<4;i++){ await delay(1000); console.log((await kube.of(leases,'west').get('managed-cluster-lease')).spec)}
  console.log(await lanyard(t, ['deny', 'west', '--kubeconfig', plane.adminKubeconfigPath]).ended)
  await delay(8000)
  await dump('denied')
  console.log(JSON.stringify((await kube.of(clusterRoles).get('open-cluster-management:managedcluster:west')).rules))
  console.log(await lanyard(t, ['accept', 'west', '--kubeconfig', plane.adminKubeconfigPath, '--wait', '--timeout', '30']).ended)
  await dump('again')
  } finally {
  writeFileSync('/tmp/ocm/agent.log', agent.output())
  hub.child.kill('SIGTERM'); const e = await hub.ended; writeFileSync('/tmp/ocm/hub.log', e.out+e.err)
  }
})
