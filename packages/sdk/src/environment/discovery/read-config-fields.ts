import type { Expression } from 'oxc-parser';
import type { DiscoveredField } from './discovered-environment.ts';
import { type Constants, listFields, readStaticValue, unwrapExpression } from './static-value.ts';

/** Names of zod for what they check, where ours is another. */
const TYPES: Readonly<Record<string, string>> = { int: 'integer', url: 'string', email: 'string', uuid: 'string' };

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
  let found: { default?: unknown; description?: string } = {};
  while (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
    const { callee } = node;
    const method = readCalledName(callee) ?? '';
    const [argument] = node.arguments;
    const value =
      argument === undefined || argument.type === 'SpreadElement' ? undefined : readStaticValue(argument, constants);
    if (method === 'describe' && typeof value?.value === 'string') found = { description: value.value, ...found };
    else if (method === 'default' && value !== undefined) found = { default: value.value, ...found };
    else if (method === 'int') type = 'integer';
    const inner = unwrapExpression(callee.object, constants);
    // The first link hangs on the name of the library.
    if (inner.type === 'Identifier') return { type: type === 'unknown' ? (TYPES[method] ?? method) : type, ...found };
    node = inner;
  }
  return { type, ...found };
}

export function readCalledName(callee: Expression): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : undefined;
}
