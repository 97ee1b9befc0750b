import type { Expression, ObjectExpression, Program } from 'oxc-parser';

/** Constants of a module by name, so that `name: NAME` can be read. */
export type Constants = ReadonlyMap<string, Expression>;

/** A name that leads to itself must not be followed for ever. */
const MAX_STEPS = 10;

export function listConstants(program: Program): Map<string, Expression> {
  const constants = new Map<string, Expression>();
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') continue;
    for (const { id, init } of declaration.declarations)
      if (id.type === 'Identifier' && init !== null) constants.set(id.name, init);
  }
  return constants;
}

/** Takes `as const`, `satisfies X`, brackets and names of constants away. */
export function unwrapExpression(expression: Expression, constants: Constants, steps = 0): Expression {
  if (steps > MAX_STEPS) return expression;
  switch (expression.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
      return unwrapExpression(expression.expression, constants, steps + 1);
    case 'Identifier': {
      const value = constants.get(expression.name);
      return value === undefined ? expression : unwrapExpression(value, constants, steps + 1);
    }
    default:
      return expression;
  }
}

/** The value of an expression that needs no running: literals, texts put together, lists and objects of such. */
export function readStaticValue(
  expression: Expression,
  constants: Constants,
  depth = 0,
): { value: unknown } | undefined {
  const node = unwrapExpression(expression, constants);
  if (depth > MAX_STEPS) return undefined;
  const read = (part: Expression): { value: unknown } | undefined => readStaticValue(part, constants, depth + 1);
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'bigint' || ('regex' in node && node.regex !== undefined)
        ? undefined
        : { value: node.value };
    case 'TemplateLiteral':
      return node.expressions.length === 0
        ? { value: node.quasis.map(({ value }) => value.cooked ?? '').join('') }
        : undefined;
    case 'UnaryExpression': {
      const value = node.operator === '-' ? read(node.argument)?.value : undefined;
      return typeof value === 'number' ? { value: -value } : undefined;
    }
    case 'BinaryExpression': {
      if (node.operator !== '+') return undefined;
      const [left, right] = [read(node.left)?.value, read(node.right)?.value];
      return typeof left === 'string' && typeof right === 'string' ? { value: left + right } : undefined;
    }
    case 'ArrayExpression': {
      const items = node.elements.map((item) =>
        item === null || item.type === 'SpreadElement' ? undefined : read(item),
      );
      return items.includes(undefined) ? undefined : { value: items.map((item) => item?.value) };
    }
    case 'ObjectExpression': {
      const fields = listFields(node).map(([name, value]) => [name, read(value)] as const);
      const isWhole = fields.length === node.properties.length && fields.every(([, value]) => value !== undefined);
      return isWhole ? { value: Object.fromEntries(fields.map(([name, field]) => [name, field?.value])) } : undefined;
    }
    default:
      return undefined;
  }
}

export function readStaticText(expression: Expression | undefined, constants: Constants): string | undefined {
  const value = expression === undefined ? undefined : readStaticValue(expression, constants)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** The fields of an object that are written out; spread and computed ones are left out. */
export function listFields(node: ObjectExpression): [string, Expression][] {
  return node.properties.flatMap((property): [string, Expression][] => {
    if (property.type !== 'Property' || property.computed) return [];
    if (property.key.type === 'Identifier') return [[property.key.name, property.value]];
    return property.key.type === 'Literal' && typeof property.key.value === 'string'
      ? [[property.key.value, property.value]]
      : [];
  });
}
