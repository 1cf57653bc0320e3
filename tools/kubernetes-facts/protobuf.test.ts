import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messages } from './protobuf-messages.ts'
import type { Package } from './protobuf-sources.ts'
import { readPackage } from './protobuf-sources.ts'

const proto = `
package k8s.io.api_things.v1;

// message Comment {
message Thing {
  // optional string comment = 9;
  optional string uid = 7;

  optional .k8s.io.meta.Time at = 2;
  repeated Part parts = 3;
  map<string, .k8s.io.meta.Time> times = 4;
  optional Part core = 5;
  optional int32 count = 6;
  optional bool isOn = 8;
  optional Words words = 10;
}

message Part {
  optional string name = 1;
}

message Words {
  repeated string items = 1;
}
`
const go = `
type Words []string

type Thing struct {
	metav1.TypeMeta \`json:",inline"\`
	// Name string \`json:"x" protobuf:"bytes,9,opt,name=x"\`
	UID   types.UID       \`json:"UID" protobuf:"bytes,7,opt,name=uid"\`
	At    *meta.Time \`json:"at,omitempty" protobuf:"bytes,2,opt,name=at"\`
	Parts []Part \`json:"parts,omitempty" patchStrategy:"merge" protobuf:"bytes,3,rep,name=parts"\`
	Times map[string]meta.Time \`json:"times" protobuf:"bytes,4,rep,name=times"\`
	Part  \`json:",inline" protobuf:"bytes,5,req"\`
	Count int32 \`json:"count,omitempty" protobuf:"varint,6,opt,name=count"\`
	IsOn  *bool \`json:"isOn,omitempty" protobuf:"varint,8,opt,name=isOn"\`
	Words Words \`json:"words" protobuf:"bytes,10,opt,name=words"\`
}

type Part struct {
	Name string \`json:"name" protobuf:"bytes,1,opt,name=name"\`
}
`
const packages: Record<string, Package> = {
  'io.k8s.api-things.v1': readPackage(proto, [go]),
  'io.k8s.meta': readPackage('package k8s.io.meta;\nmessage Time {\n  optional int64 seconds = 1;\n}\n', []),
}
const packageOf = (name: string): Package => packages[name] ?? assert.fail(`${name} is not asked for`)
const name = 'io.k8s.api-things.v1'
const properties = (...names: string[]) => Object.fromEntries(names.map((name) => [name, {}]))
const known = properties('UID', 'at', 'parts', 'times', 'name', 'count', 'isOn', 'words', 'kind', 'apiVersion')
const schemas = (found: Record<string, unknown>) => ({
  kinds: { 'things/v1/Thing': `${name}.Thing` },
  definitions: { [`${name}.Thing`]: { properties: found } },
})

test('messages have the numbers of the proto and the names of the JSON', () => {
  assert.deepEqual(messages(packageOf, schemas(known)), {
    kinds: { 'things/v1/Thing': `${name}.Thing` },
    messages: {
      [`${name}.Part`]: [[1, 'name', 'string', 'kept']],
      [`${name}.Thing`]: [
        [2, 'at', 'io.k8s.meta.Time'],
        [3, 'parts', `[]${name}.Part`],
        [4, 'times', 'map[string]io.k8s.meta.Time'],
        [5, 'core', `${name}.Part`, 'inline'],
        [6, 'count', 'int32'],
        [7, 'UID', 'string', 'kept'],
        [8, 'isOn', 'bool', 'kept'],
        [10, 'words', `${name}.Words`],
      ],
      [`${name}.Words`]: '[]string',
      'io.k8s.meta.Time': [[1, 'seconds', 'int64', 'kept']],
    },
  })
})

test('a field that only one of message and schema has is an error', () => {
  const { count, ...fewer } = known
  assert.throws(() => messages(packageOf, schemas(fewer)), /Thing and its schema differ in count/)
  assert.throws(() => messages(packageOf, schemas({ ...known, color: {} })), /Thing and its schema differ in color/)
})

test('what a proto is not known to hold is an error', () => {
  const of = (line: string) => () => readPackage(`message A {\n  ${line}\n}\n`, [])
  for (const line of ['oneof x {', 'map<int32, string> a = 1;', 'optional string a = 1 [packed = true];'])
    assert.throws(of(line), /cannot tell what to do with A/)
})

test('a message whose struct has no such number is an error', () => {
  const other = readPackage(proto, [go.replace('varint,6,', 'varint,16,')])
  assert.throws(
    () => messages((name) => (name === 'io.k8s.meta' ? packageOf(name) : other), schemas(known)),
    /the struct Thing has no field with the number 6/,
  )
})
