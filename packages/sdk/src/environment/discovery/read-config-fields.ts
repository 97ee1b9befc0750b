import { fieldKindSchema, type FieldKind } from '@lachesis/protocol';
import type { Expression } from 'oxc-parser';
import { toBounds, type BoundCall } from './source-bounds.ts';
import type { DiscoveredField } from './discovered-environment.ts';
import { type Constants, listFields, readStaticValue, unwrapExpression } from './static-value.ts';

/** Names of zod for what they check, where ours is another. */
const TYPES: Readonly<Record<string, string>> = { int: 'integer', url: 'string', email: 'string', uuid: 'string' };

/** The functions of the SDK that begin a field of a kind. */
const KIND_FUNCTIONS: Readonly<Record<string, FieldKind>> = { pathField: 'path', urlField: 'url', codeField: 'code' };

/** The fields of `z.object({ … })`; undefined when the schema is not written out. */
export function readConfigFields(schema: Expression | undefined, constants: Constants): DiscoveredField[] | undefined {
  const node = schema === undefined ? undefined : unwrapExpression(schema, constants);
  if (node?.type !== 'CallExpression' || readCalledName(node.callee) !== 'object') return undefined;
  const [shape] = node.arguments;
  const fields = shape === undefined || shape.type === 'SpreadElement' ? undefined : unwrapExpression(shape, constants);
  if (fields?.type !== 'ObjectExpression') return undefined;
  return listFields(fields).map(([name, value]) => ({ name, ...readChain(value, constants) }));
}

/** `z.int().min(1).default(8).describe('…')`, from its end to its beginning. */
function readChain(expression: Expression, constants: Constants): Omit<DiscoveredField, 'name'> {
  let node = unwrapExpression(expression, constants);
  let type = 'unknown';
  let found: Omit<DiscoveredField, 'name' | 'type'> = {};
  const calls: BoundCall[] = [];
  const finish = (named: string): Omit<DiscoveredField, 'name'> => {
    const bounds = toBounds(named, calls);
    return { type: named, ...found, ...(bounds === undefined ? {} : { bounds }) };
  };
  while (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
    const { callee } = node;
    const method = readCalledName(callee) ?? '';
    const [argument] = node.arguments;
    const value =
      argument === undefined || argument.type === 'SpreadElement' ? undefined : readStaticValue(argument, constants);
    if (method === 'describe' && typeof value?.value === 'string') found = { description: value.value, ...found };
    else if (method === 'default' && value !== undefined) found = { default: value.value, ...found };
    else if (method === 'int') type = 'integer';
    else if (method === 'meta') {
      const kind = fieldKindSchema.safeParse((value?.value as { kind?: unknown } | undefined)?.kind).data;
      if (kind !== undefined) found = { kind, ...found };
    } else if (argument?.type !== 'SpreadElement')
      calls.push({ method, value: value?.value, pattern: readRegex(argument) });
    const inner = unwrapExpression(callee.object, constants);
    // The first link hangs on the name of the library.
    if (inner.type === 'Identifier' && Object.hasOwn(KIND_FUNCTIONS, method)) return ofKind(method, found);
    if (inner.type === 'Identifier') return finish(type === 'unknown' ? (TYPES[method] ?? method) : type);
    node = inner;
  }
  const maker = node.type === 'CallExpression' ? (readCalledName(node.callee) ?? '') : '';
  return Object.hasOwn(KIND_FUNCTIONS, maker) ? ofKind(maker, found) : finish(type);
}

function ofKind(maker: string, found: Omit<DiscoveredField, 'name' | 'type'>): Omit<DiscoveredField, 'name'> {
  const kind = KIND_FUNCTIONS[maker];
  return { type: 'string', ...(kind === undefined ? {} : { kind }), ...found };
}

const readRegex = (argument: Expression | undefined): string | undefined =>
  argument?.type === 'Literal' && 'regex' in argument ? argument.regex?.pattern : undefined;

export function readCalledName(callee: Expression): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : undefined;
}
