import { type Class, type Expression, type Program, parseSync } from 'oxc-parser';
import type { DiscoveredEnvironment } from './discovered-environment.ts';
import { readCalledName, readConfigFields } from './read-config-fields.ts';
import { type Constants, listConstants, listFields, readStaticText, unwrapExpression } from './static-value.ts';

/** A file that names neither is not parsed. */
const MENTION = /\b(?:defineEnvironment|defineAgentEnvironment|Environment|AgentEnvironment)\b/;

const DEFINERS = new Set(['defineEnvironment', 'defineAgentEnvironment']);
const BASES = ['Environment', 'AgentEnvironment'];

export class UnreadableSource extends Error {}

/** Environments in a TypeScript or JavaScript file, found in its syntax tree. Throws `UnreadableSource` when it has none. */
export function scanTypeScript(filePath: string, source: string): DiscoveredEnvironment[] {
  if (!MENTION.test(source)) return [];
  const { program, errors } = parseSync(filePath, source);
  const [error] = errors;
  if (error !== undefined) throw new UnreadableSource(error.message);
  const constants = listConstants(program);
  return [...findCalls(program, constants), ...findClasses(program, constants)].map((found) => ({
    ...found,
    file_path: filePath,
    language: 'typescript' as const,
  }));
}

type Found = Omit<DiscoveredEnvironment, 'file_path' | 'language'>;

/** With `defineAgentEnvironment` too: `export default defineEnvironment({…})`, `export const x = defineEnvironment({…})` and `const x = …; export { x }`. */
function findCalls(program: Program, constants: Constants): Found[] {
  const exported = listExportedValues(program, constants);
  return exported.flatMap(([exportName, value]) => {
    const node = unwrapExpression(value, constants);
    if (node.type !== 'CallExpression' || !DEFINERS.has(readCalledName(node.callee) ?? '')) return [];
    const [argument] = node.arguments;
    const spec =
      argument === undefined || argument.type === 'SpreadElement' ? undefined : unwrapExpression(argument, constants);
    if (spec?.type !== 'ObjectExpression') return [];
    return [describe(exportName, new Map(listFields(spec)), 'config', constants)];
  });
}

function listExportedValues(program: Program, constants: Constants): [string, Expression][] {
  const values = new Map<string, Expression>();
  for (const statement of program.body) {
    if (statement.type === 'ExportDefaultDeclaration') {
      const { declaration } = statement;
      if (declaration.type === 'Identifier') values.set(declaration.name, declaration);
      else if (isExpression(declaration)) values.set('default', declaration);
    }
    if (statement.type !== 'ExportNamedDeclaration' || statement.source !== null) continue;
    if (statement.declaration?.type === 'VariableDeclaration')
      for (const { id, init } of statement.declaration.declarations)
        if (id.type === 'Identifier' && init !== null) values.set(id.name, init);
    for (const { local } of statement.specifiers) {
      const value = local.type === 'Identifier' ? constants.get(local.name) : undefined;
      if (value !== undefined && local.type === 'Identifier') values.set(local.name, value);
    }
  }
  return [...values];
}

const isExpression = (node: { type: string }): node is Expression => !node.type.endsWith('Declaration');

/** Classes that extend `Environment` or `AgentEnvironment` of the SDK, or a class of the same file that does. Abstract ones are only extended. */
function findClasses(program: Program, constants: Constants): Found[] {
  const bases = new Set(listEnvironmentNames(program));
  const found: Found[] = [];
  for (const statement of program.body) {
    const declaration =
      statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
        ? statement.declaration
        : statement;
    if (declaration?.type !== 'ClassDeclaration') continue;
    const base = declaration.superClass === null ? undefined : readCalledName(declaration.superClass);
    if (base === undefined || !bases.has(base)) continue;
    const className = declaration.id?.name ?? 'default';
    bases.add(className);
    if (!declaration.abstract && statement !== declaration)
      found.push(describe(className, listClassFields(declaration), 'schema', constants));
  }
  return found;
}

/** The local names of the base classes as imported from the SDK. */
function listEnvironmentNames(program: Program): string[] {
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ImportDeclaration') return [];
    const isOurs = statement.source.value.startsWith('@lachesis/sdk') || statement.source.value.startsWith('.');
    if (!isOurs) return [];
    return statement.specifiers.flatMap((specifier) => {
      // `sdk.Environment` is known by its last word.
      if (specifier.type === 'ImportNamespaceSpecifier') return BASES;
      const imported = specifier.type === 'ImportSpecifier' ? specifier.imported : undefined;
      return imported?.type === 'Identifier' && BASES.includes(imported.name) ? [specifier.local.name] : [];
    });
  });
}

function listClassFields(node: Class): Map<string, Expression> {
  return new Map(
    node.body.body.flatMap((member): [string, Expression][] =>
      member.type === 'PropertyDefinition' && member.key.type === 'Identifier' && member.value !== null
        ? [[member.key.name, member.value]]
        : [],
    ),
  );
}

function describe(
  className: string,
  fields: ReadonlyMap<string, Expression>,
  schemaField: string,
  constants: Constants,
): Found {
  const config = readConfigFields(fields.get(schemaField), constants);
  return {
    name: readStaticText(fields.get('name'), constants) ?? toKebab(className),
    class_name: className,
    description: readStaticText(fields.get('description'), constants) ?? '',
    ...(config === undefined ? {} : { config_fields: config }),
  };
}

const toKebab = (name: string): string =>
  name
    .replace(/Environment$|Env$/, '')
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase();
