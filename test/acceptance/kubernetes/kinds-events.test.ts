/** Events of core/v1 and of events.k8s.io/v1: one store, two ways to say the same. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import type { Event as NewEvent } from 'kubernetes-types/events/v1.d.ts'
import { events } from '../../../src/kube/kinds.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { aNewEvent, anEvent, newEvents } from '../../support/kind-samples.ts'
import { kindScene, pathOf, refusal, whyInvalid } from '../../support/kind-scene.ts'

/** All but what is of no interest here. */
const bare = ({ apiVersion, kind, metadata, ...rest }: Event | NewEvent) => rest

const times = { first: '2026-01-02T03:04:05Z', last: '2026-01-02T03:04:06Z' }

describe('events', needsControlPlane, () => {
  test('E13: an Event of core/v1 is one of events.k8s.io/v1, under the other names', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const source = { component: 'tester', host: 'here' }
    const { first, last } = times
    const old = { reason: 'Tested', message: 'well', type: 'Warning', count: 3, action: 'Test' }
    await kube
      .of(events, namespace)
      .create(anEvent('old', namespace, { ...old, source, firstTimestamp: first, lastTimestamp: last }))
    assert.deepEqual(bare(await kube.of(newEvents, namespace).get('old')), {
      regarding: { kind: 'Pod', namespace, name: 'web' },
      reason: 'Tested',
      note: 'well',
      type: 'Warning',
      action: 'Test',
      deprecatedCount: 3,
      deprecatedSource: source,
      deprecatedFirstTimestamp: first,
      deprecatedLastTimestamp: last,
      eventTime: null,
    })
  })

  test('E13: an Event of events.k8s.io/v1 is one of core/v1, under the other names', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const series = { count: 2, lastObservedTime: '2026-01-02T03:04:07.000008Z' }
    const related = { kind: 'Node', name: 'here' }
    await kube.of(newEvents, namespace).create(aNewEvent('new', namespace, { note: 'well', series, related }))
    assert.deepEqual(bare(await kube.of(events, namespace).get('new')), {
      involvedObject: { kind: 'Pod', namespace, name: 'web' },
      reason: 'Tested',
      message: 'well',
      type: 'Normal',
      action: 'Test',
      series,
      related,
      reportingComponent: 'example.com/tester',
      reportingInstance: 'tester-1',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: '2026-01-02T03:04:05.000006Z',
    })
  })

  test('E13: events are one store: made here, listed, changed and deleted there', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const [here, there] = [kube.of(events, namespace), kube.of(newEvents, namespace)]
    const created = await here.create(anEvent('old', namespace))
    await there.create(aNewEvent('new', namespace))
    const names = (list: { items: { metadata: { name: string } }[] }) => list.items.map(({ metadata }) => metadata.name)
    assert.deepEqual(names(await here.list()), ['new', 'old'])
    assert.deepEqual(names(await there.list()), ['new', 'old'])
    assert.equal((await there.get('old')).metadata.uid, created.metadata.uid)
    const labels = { a: 'b' }
    await there.patch('old', { type: 'merge', body: { metadata: { labels } } })
    assert.deepEqual((await here.get('old')).metadata.labels, labels)
    await here.delete('new')
    assert.equal(await there.find('new'), undefined)
    assert.equal((await refusal(there.create(aNewEvent('old', namespace)))).reason, 'AlreadyExists')
  })

  test('E13: an Event shows its empty fields', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const event = await kube.of(events, namespace).create({ metadata: { name: 'bare' }, involvedObject: { namespace } })
    assert.deepEqual(bare(event), {
      involvedObject: { namespace },
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    })
    assert.deepEqual(bare(await kube.of(newEvents, namespace).get('bare')), {
      regarding: { namespace },
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
      eventTime: null,
    })
  })

  test('E13: involvedObject selectors work, under both names', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const web = {
      kind: 'Pod',
      namespace,
      name: 'web',
      uid: 'u-1',
      apiVersion: 'v1',
      resourceVersion: '7',
      fieldPath: 'spec',
    }
    await kube.of(events, namespace).create(anEvent('web', namespace, { involvedObject: web }))
    await kube
      .of(events, namespace)
      .create(anEvent('other', namespace, { involvedObject: { kind: 'Node', namespace, name: 'here' } }))
    for (const [field, value] of Object.entries(web).filter(([field]) => field !== 'namespace')) {
      const old = await kube.of(events, namespace).list({ fieldSelector: `involvedObject.${field}=${value}` })
      const other = await kube.of(newEvents, namespace).list({ fieldSelector: `regarding.${field}=${value}` })
      const names = [...old.items, ...other.items].map(({ metadata }) => metadata.name)
      assert.deepEqual(names, ['web', 'web'], field)
    }
    const all = await kube.of(events).list({ fieldSelector: `involvedObject.namespace=${namespace}` })
    assert.equal(all.items.length, 2)
  })

  test('E13: events are selected by reason, type and who reports them', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const source = { component: 'old-tester' }
    await kube.of(events, namespace).create(anEvent('old', namespace, { reason: 'Odd', type: 'Warning', source }))
    await kube.of(newEvents, namespace).create(aNewEvent('new', namespace))
    const names = async (fieldSelector: string, resource: typeof events | typeof newEvents = events) =>
      (await kube.of(resource as typeof events, namespace).list({ fieldSelector })).items.map(
        ({ metadata }) => metadata.name,
      )
    assert.deepEqual(await names('reason=Odd'), ['old'])
    assert.deepEqual(await names('type=Normal'), ['new'])
    assert.deepEqual(await names('source=old-tester'), ['old'])
    assert.deepEqual(await names('source=example.com/tester'), ['new'])
    assert.deepEqual(await names('reportingComponent=example.com/tester'), ['new'])
    assert.deepEqual(await names('reportingController=example.com/tester', newEvents), ['new'])
    assert.deepEqual(await names('reason=Odd,type=Warning', newEvents), ['old'])
    const wrong = await refusal(names('regarding.name=web'))
    assert.deepEqual([wrong.code, wrong.message], [400, 'field label not supported: regarding.name'])
  })

  test('E13: an Event is in the namespace of what it is about', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const why = (involved: string | undefined, eventTime?: string) =>
      whyInvalid(
        kube.of(events, namespace).create(
          {
            ...anEvent('bad', namespace),
            involvedObject: involved === undefined ? {} : { namespace: involved },
            ...(eventTime && { eventTime, reportingComponent: 'a', reportingInstance: 'b', action: 'c', reason: 'd' }),
          },
          { dryRun: true },
        ),
      )
    const told = (value: string) =>
      `involvedObject.namespace: Invalid value: "${value}": does not match event.namespace`
    assert.equal(await why('other'), told('other'))
    assert.equal(await why(undefined), told(''))
    assert.equal(await why(undefined, '2026-01-02T03:04:05.000006Z'), told(''))
  })

  test('E13: an Event with an eventTime says who reports what', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const eventTime = '2026-01-02T03:04:05.000006Z'
    const why = (event: Partial<Event>) =>
      whyInvalid(
        kube.of(events, namespace).create(anEvent('bad', namespace, { eventTime, ...event }), { dryRun: true }),
      )
    const told = { reportingComponent: 'a', reportingInstance: 'b', action: 'c', reason: 'd' }
    assert.equal(
      await why({ reportingComponent: 'a' }),
      '[reportingInstance: Required value, action: Required value, reason: Required value]',
    )
    assert.match(
      await why({ ...told, reportingComponent: 'a b' }),
      /^reportingComponent: Invalid value: "a b": name part must consist/,
    )
    const long = 'x'.repeat(129)
    assert.equal(
      await why({ ...told, reportingInstance: long, action: long, reason: long, message: 'x'.repeat(1025) }),
      '[reportingInstance: Invalid value: "": can have at most 128 characters, action: Invalid value: "": can have at most 128 characters, reason: Invalid value: "": can have at most 128 characters, message: Invalid value: "": can have at most 1024 characters]',
    )
  })

  test('E13: a new Event of events.k8s.io/v1 has a time, a type and none of the old fields', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const why = (event: Partial<NewEvent>) =>
      whyInvalid(kube.of(newEvents, namespace).create(aNewEvent('bad', namespace, event), { dryRun: true }))
    assert.equal(await why({ type: 'Odd' }), 'type: Invalid value: "": has invalid value: Odd')
    assert.equal(
      await why({ series: { count: 1, lastObservedTime: null as unknown as string } }),
      '[series.count: Invalid value: "": should be at least 2, series.lastObservedTime: Required value]',
    )
    assert.equal(await why({ eventTime: null as unknown as string }), 'eventTime: Required value')
    const { first, last } = times
    assert.equal(
      await why({
        deprecatedFirstTimestamp: first,
        deprecatedLastTimestamp: last,
        deprecatedCount: 1,
        deprecatedSource: { host: 'h' },
      }),
      '[firstTimestamp: Invalid value: "": needs to be unset, lastTimestamp: Invalid value: "": needs to be unset, count: Invalid value: "": needs to be unset, source: Invalid value: "": needs to be unset]',
    )
  })

  test('E13: through events.k8s.io/v1 the series of an Event may change and its story may not', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(newEvents, namespace)
    await collection.create(aNewEvent('told', namespace))
    const patch = (body: object) => collection.patch('told', { type: 'merge', body })
    const series = { count: 5, lastObservedTime: '2026-01-02T03:04:07.000008Z' }
    assert.deepEqual((await patch({ series })).series, series)
    assert.equal(await whyInvalid(patch({ reason: 'Other' })), 'reason: Invalid value: "Other": field is immutable')
    assert.equal(await whyInvalid(patch({ note: 'Other' })), 'message: Invalid value: "Other": field is immutable')
    assert.equal(await whyInvalid(patch({ type: 'Warning' })), 'type: Invalid value: "Warning": field is immutable')
    assert.equal(
      await whyInvalid(patch({ regarding: { name: 'other' } })),
      `involvedObject: Invalid value: {"Kind":"Pod","Namespace":"${namespace}","Name":"other","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable`,
    )
    const changed = await kube.of(events, namespace).patch('told', { type: 'merge', body: { reason: 'Other' } })
    assert.equal(changed.reason, 'Other')
  })

  test('E13: a PUT makes an Event that is not there', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const body = { apiVersion: 'v1', kind: 'Event', ...anEvent('made', namespace) }
    await kube.request({ method: 'PUT', path: pathOf(events, { namespace, name: 'made' }), body })
    assert.ok(await kube.of(newEvents, namespace).get('made'))
  })
})
